// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/hash64.h"

#include <cstring>

namespace leat {

uint64_t Hash64(absl::string_view text) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t hash = kSeed ^ (text.size() * kMultiplier);
  while (text.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, text.data(), sizeof(word));
    word *= kMultiplier;
    word ^= word >> kShift;
    word *= kMultiplier;
    hash = (hash ^ word) * kMultiplier;
    text.remove_prefix(sizeof(uint64_t));
  }
  if (!text.empty()) {
    uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    hash = (hash ^ rest) * kMultiplier;
  }
  hash ^= hash >> kShift;
  hash *= kMultiplier;
  return hash ^ (hash >> kShift);
}

}  // namespace leat
