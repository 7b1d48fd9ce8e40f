// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These hashes of elements agree with ==: 0 and -0 have the same hash. NaN
// equals nothing, so a table never finds it. Strings are not copied into a
// table: KeyOf<std::string> is a view.
//
//   absl::flat_hash_set<KeyOf<T>, ValueHash<KeyOf<T>>> seen;
#ifndef LEAT_KERNELS_CPU_VALUE_HASH_H_
#define LEAT_KERNELS_CPU_VALUE_HASH_H_

#include <string>
#include <type_traits>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "leat/core/float16.h"

namespace leat::kernels::cpu {

// The type of the keys of a table of elements of type T.
template <class T>
using KeyOf =
    std::conditional_t<std::is_same_v<T, std::string>, absl::string_view, T>;

template <class T>
size_t HashValue(const T& value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    return absl::Hash<float>()(static_cast<float>(value));
  } else {
    return absl::Hash<T>()(value);
  }
}

// HashValue as a function object.
template <class T>
struct ValueHash {
  size_t operator()(const T& value) const { return HashValue(value); }
};

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_VALUE_HASH_H_
