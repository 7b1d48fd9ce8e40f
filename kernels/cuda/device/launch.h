// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The files of this folder (*.cu) run code on a GPU only through the functions
// of this header. nvcc compiles these files for GPUs. Under a sanitizer, and on
// a machine without nvcc, a C++ compiler compiles them for the host, and the
// work runs in a HostStream. So each kernel is tested without a GPU. The files
// must not use names that only nvcc knows, such as blockIdx.
// tools/check_gpu_code checks this.
//
//   template <class T>
//   struct Negate {
//     const T* from;
//     T* to;
//     LEAT_DEVICE void operator()(int64_t i) const { to[i] = -from[i]; }
//   };
//   ForEach(stream, n, Negate<float>{from, to});
//
// Threads that must exchange values form a block. A block does its work in
// phases. A phase calls a function for each thread of the block, and ends when
// all calls have returned. Code outside of phases must compute the same for all
// threads, and must not write to memory.
//
//   struct SumOfRow {
//     static constexpr int kThreads = 128;
//     struct Shared { float sums[kThreads]; };
//     const float* rows; int64_t n; float* sums;
//
//     LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
//                                 int64_t row) const {
//       PerThread<float, kThreads> sum;
//       block.Phase([&](int t) {
//         sum[t] = 0;
//         for (int64_t i = t; i < n; i += kThreads) {
//           sum[t] += rows[row * n + i];
//         }
//       });
//       const float total = BlockReduce(block, sum, shared.sums, Plus());
//       block.Phase([&](int t) { if (t == 0) sums[row] = total; });
//     }
//   };
//   ForEachBlock(stream, num_rows, SumOfRow{rows, n, sums});
//
// Functors are copied to the GPU, so they must be plain values. Their pointers
// point to memory of the GPU. All functions return once the work is queued. If
// there is no work, they queue nothing. If CUDA refuses a launch,
// GpuStream::CheckLaunch returns the error.
#ifndef LEAT_KERNELS_CUDA_DEVICE_LAUNCH_H_
#define LEAT_KERNELS_CUDA_DEVICE_LAUNCH_H_

#include <cstdint>

// Both headers define, in namespace leat::cuda:
//
//   Half, Bfloat16     16-bit floats, which convert to and from float
//   ForEach            calls functor(i) for each i in [0, n)
//   ForEachBlock       calls functor(block, shared, i) for each i in [0, n)
//   Block<kThreads>    Phase and Barrier
//   PerThread<T, n>    a value of each thread of a block
//   AtomicAdd          adds to a number; other threads may add at the same time
//   AtomicUpdate       replaces a value of 2, 4 or 8 bytes by a function of it;
//                      other threads may do the same at the same time
//   AtomicExchange     sets a value of 4 or 8 bytes and returns the old value
//   CompareAndSwap     does the same as AtomicExchange, but sets the value only
//                      if the old value is `expected`
#ifdef __CUDACC__
#include "leat/kernels/cuda/device/launch_gpu.h"
#else
#include "leat/kernels/cuda/device/launch_host.h"
#endif
#include "leat/kernels/cuda/device/element_type.h"

namespace leat::cuda {

// Combines the values of all threads of a block with `combine`, in an order
// that depends on kThreads only. Every thread gets the result. `shared` may be
// used again afterwards.
template <class T, int kThreads, class Combine>
LEAT_DEVICE T BlockReduce(Block<kThreads>& block,
                          PerThread<T, kThreads>& values, T (&shared)[kThreads],
                          Combine combine) {
  static_assert((kThreads & (kThreads - 1)) == 0);
  block.Phase([&](int t) { shared[t] = values[t]; });
  for (int width = kThreads / 2; width > 0; width /= 2) {
    block.Phase([&](int t) {
      if (t < width) shared[t] = combine(shared[t], shared[t + width]);
    });
  }
  const T result = shared[0];
  block.Barrier();
  return result;
}

// Is a list of element types.
template <class... T>
struct Types {};
template <class T>
struct Tag {
  using type = T;
};

using Floats = Types<Half, Bfloat16, float, double>;

template <class T>
inline constexpr ElementType kElementTypeOf = ElementType::kNone;
template <>
inline constexpr ElementType kElementTypeOf<float> = ElementType::kFloat;
template <>
inline constexpr ElementType kElementTypeOf<double> = ElementType::kDouble;
template <>
inline constexpr ElementType kElementTypeOf<Half> = ElementType::kHalf;
template <>
inline constexpr ElementType kElementTypeOf<Bfloat16> = ElementType::kBfloat16;
template <>
inline constexpr ElementType kElementTypeOf<int8_t> = ElementType::kInt8;
template <>
inline constexpr ElementType kElementTypeOf<int16_t> = ElementType::kInt16;
template <>
inline constexpr ElementType kElementTypeOf<int32_t> = ElementType::kInt32;
template <>
inline constexpr ElementType kElementTypeOf<int64_t> = ElementType::kInt64;
template <>
inline constexpr ElementType kElementTypeOf<uint8_t> = ElementType::kUint8;
template <>
inline constexpr ElementType kElementTypeOf<uint16_t> = ElementType::kUint16;
template <>
inline constexpr ElementType kElementTypeOf<uint32_t> = ElementType::kUint32;
template <>
inline constexpr ElementType kElementTypeOf<uint64_t> = ElementType::kUint64;
template <>
inline constexpr ElementType kElementTypeOf<bool> = ElementType::kBool;

// If the list has the type that `type` stands for, calls visitor(Tag<T>{}) and
// returns true. Otherwise returns false.
template <class... T, class Visitor>
bool VisitType(Types<T...>, ElementType type, Visitor visitor) {
  return ((kElementTypeOf<T> == type ? (visitor(Tag<T>{}), true) : false) ||
          ...);
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_LAUNCH_H_
