// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/collectives/collective_key.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace leat {
namespace {

// The names of no other tensors begin with this.
constexpr absl::string_view kPrefix = "collective/";
// Each buffer counts as one of this loop, because the rendezvous forgets keys
// of loops after their use. A function that runs several times in a step uses
// its keys again.
constexpr uint64_t kLoop = 1;

}  // namespace

std::string RunOfCollective(int32_t group_key, int32_t instance_key,
                            uint64_t frame, int64_t iteration) {
  return absl::StrCat(group_key, ":", instance_key, ":", frame, ":", iteration);
}

ParsedKey BufferKey(absl::string_view sender, uint64_t incarnation,
                    absl::string_view receiver, absl::string_view buffer) {
  const std::vector<absl::string_view> parts = absl::StrSplit(buffer, ':');
  // The numbers are only checked, because the name of the tensor has them.
  uint64_t frame = 0;
  int64_t iteration = 0;
  if (parts.size() < 4 || !absl::SimpleAtoi(parts[2], &frame) ||
      !absl::SimpleAtoi(parts[3], &iteration)) {
    return ParsedKey();
  }
  return ParsedKey(RendezvousKey{.send_device = std::string(sender),
                                 .send_incarnation = incarnation,
                                 .recv_device = std::string(receiver),
                                 .tensor_name = absl::StrCat(kPrefix, buffer),
                                 .frame = kLoop}
                       .ToString());
}

bool IsBufferKey(const ParsedKey& key) {
  return absl::StartsWith(key.tensor_name(), kPrefix);
}

absl::string_view BufferOf(const ParsedKey& key) {
  return key.tensor_name().substr(kPrefix.size());
}

}  // namespace leat
