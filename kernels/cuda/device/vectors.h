// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Element-wise functors read and write 16 bytes at once if the arrays are
// aligned. On a GPU this is about twice as fast as single elements.
//
//   template <class T>
//   struct Negate {
//     const T* from;
//     T* to;
//     int64_t n;
//     bool is_aligned;
//     LEAT_DEVICE void operator()(int64_t i) const {
//       ComputePack<kPack<T>>(*this, i, n, is_aligned);
//     }
//     template <int size>
//     LEAT_DEVICE void Compute(int64_t at) const {
//       Pack<T, size> pack = Load<size>(from + at);
//       for (int k = 0; k < size; ++k) pack.elements[k] = -pack.elements[k];
//       Store(pack, to + at);
//     }
//   };
//   ForEach(stream, NumPacks<kPack<float>>(n),
//           Negate<float>{from, to, n, is_aligned});
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

// Reads N adjacent elements at once. REQUIRES: IsAligned<N>(from).
template <int N, class T>
LEAT_DEVICE Pack<T, N> Load(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}

// Returns N times the same element.
template <int N, class T>
LEAT_DEVICE Pack<T, N> Repeat(const T& element) {
  Pack<T, N> pack;
  for (int k = 0; k < N; ++k) pack.elements[k] = element;
  return pack;
}

// Writes N adjacent elements at once. REQUIRES: IsAligned<N>(to).
template <int N, class T>
LEAT_DEVICE void Store(const Pack<T, N>& pack, T* to) {
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

// Returns the number of packs that n elements fill. The last one may be filled
// in part.
template <int N>
int64_t NumPacks(int64_t n) {
  return n / N + (n % N != 0);
}

// Computes pack number `i` of n elements, whose first element is `begin`. Calls
// functor.Compute<N>(begin) if the pack is full and the arrays are aligned for
// packs, and otherwise functor.Compute<1>(k) for each element k of the pack.
template <int N, class Functor>
LEAT_DEVICE void ComputePack(const Functor& functor, int64_t i, int64_t n,
                             bool is_aligned) {
  const int64_t begin = i * N;
  if (is_aligned && n - begin >= N) {
    functor.template Compute<N>(begin);
    return;
  }
  const int64_t end = n - begin < N ? n : begin + N;
  for (int64_t k = begin; k < end; ++k) functor.template Compute<1>(k);
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_VECTORS_H_
