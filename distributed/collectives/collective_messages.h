// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions write and read the messages by which members join groups and
// claim collectives. They are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_COLLECTIVE_MESSAGES_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_COLLECTIVE_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/wire/payload.h"
#include "leat/kernels/collective_resolver.h"
#include "leat/runtime/collectives/group_table.h"

namespace leat {

// Write and read a CompleteGroupRequest. DecodeJoin returns INVALID_ARGUMENT
// for a malformed message or device and for a name that is too long, and
// INTERNAL, as TensorFlow does, if there is no device. The device has no
// description.
Payload EncodeJoin(const GroupJoin& join);
absl::StatusOr<GroupJoin> DecodeJoin(absl::string_view header);

// Write and read a CompleteGroupResponse. DecodeGroup returns INTERNAL, with
// TensorFlow's texts, if the group is not the one that was asked for.
Payload EncodeGroup(const CollectiveGroup& group);
absl::StatusOr<std::shared_ptr<const CollectiveGroup>> DecodeGroup(
    absl::string_view header, int32_t key);

// Is the claim of a member of the group `group_key`.
struct GroupClaim {
  int32_t group_key = 0;
  InstanceClaim claim = {};
};

// Write and read a CompleteInstanceRequest. DecodeClaim returns
// INVALID_ARGUMENT for a malformed message, shape or type, and for a name that
// is too long.
Payload EncodeClaim(const CollectiveRequest& request);
absl::StatusOr<GroupClaim> DecodeClaim(absl::string_view header);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_COLLECTIVE_MESSAGES_H_
