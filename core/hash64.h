// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Hash64 is the hash with which TensorFlow's executors name loop iterations in
// rendezvous keys (MurmurHash64A). Its result is the same on every machine and
// must never change. Do not use it for hash tables.
#ifndef LEAT_CORE_HASH64_H_
#define LEAT_CORE_HASH64_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace leat {

// Returns the hash of the bytes of `text`.
uint64_t Hash64(absl::string_view text);

// Combines two hashes into one. The result depends on the order of the two
// hashes. TensorFlow's Hash64Combine returns the same result.
inline uint64_t Hash64Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800ULL + (a << 10) + (a >> 4));
}

}  // namespace leat

#endif  // LEAT_CORE_HASH64_H_
