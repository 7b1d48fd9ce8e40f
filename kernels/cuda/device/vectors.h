// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Element-wise functors read and write 16 bytes at once if the arrays are
// aligned. On a GPU this is about twice as fast as single elements.
#ifndef LEAT_KERNELS_CUDA_DEVICE_VECTORS_H_
#define LEAT_KERNELS_CUDA_DEVICE_VECTORS_H_

#include <cstdint>

#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {

// Holds N adjacent elements. Is a plain value.
template <class T, int N>
struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) Pack {
  T elements[N];
};

// Is the number of elements that are read at once.
template <class T>
inline constexpr int kPack = 16 / sizeof(T);

// Returns true if packs of N elements may be read from or written to `array`.
template <int N, class T>
bool IsAligned(const T* array) {
  return reinterpret_cast<uintptr_t>(array) % alignof(Pack<T, N>) == 0;
}

// Reads the `count` elements of an array that begin at `begin`. `step` is 0 if
// the array has one element, which is used for all, and otherwise 1. If `whole`
// is true, `count` is N, and the elements may be read at once.
template <int N, class T>
LEAT_DEVICE Pack<T, N> Load(const T* from, int64_t step, int64_t begin,
                            int count, bool whole) {
  if (whole && step != 0) {
    return *reinterpret_cast<const Pack<T, N>*>(from + begin);
  }
  Pack<T, N> pack;
  for (int k = 0; k < N; ++k) {
    if (k < count) pack.elements[k] = from[(begin + k) * step];
  }
  return pack;
}

// Writes the first `count` of N elements to `to`. If `whole` is true, `count`
// is N, and the elements may be written at once.
template <int N, class T>
LEAT_DEVICE void Store(const Pack<T, N>& pack, T* to, int64_t begin, int count,
                       bool whole) {
  if (whole) {
    *reinterpret_cast<Pack<T, N>*>(to + begin) = pack;
    return;
  }
  for (int k = 0; k < N; ++k) {
    if (k < count) to[begin + k] = pack.elements[k];
  }
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_VECTORS_H_
