// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Hash64: the hash by which TensorFlow's executors name loop iterations in
// rendezvous keys (MurmurHash64A). Equal on every machine; not for tables.
#ifndef LEAT_CORE_HASH64_H_
#define LEAT_CORE_HASH64_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace leat {

uint64_t Hash64(absl::string_view text);

inline uint64_t Hash64Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800ULL + (a << 10) + (a >> 4));
}

}  // namespace leat

#endif  // LEAT_CORE_HASH64_H_
