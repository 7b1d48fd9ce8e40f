// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WhyUnreachable says, in words for users, why gRPC could not connect to a
// task. It is stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_WHY_UNREACHABLE_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_WHY_UNREACHABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Returns the reason in `message`, which is gRPC's message of a call that ended
// with UNAVAILABLE. Callers put the result after "ADDRESS cannot be reached: ".
// An unknown reason is returned in gRPC's words.
std::string WhyUnreachable(absl::string_view message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_WHY_UNREACHABLE_H_
