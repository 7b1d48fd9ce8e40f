// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// This header defines the functions of launch.h for CUDA. Only launch.h
// includes it.
#ifndef LEAT_KERNELS_CUDA_DEVICE_LAUNCH_GPU_H_
#define LEAT_KERNELS_CUDA_DEVICE_LAUNCH_GPU_H_

#include <bit>
#include <cstdint>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"

namespace leat::cuda {

inline constexpr bool kIsForHost = false;

// Half and Bfloat16 stand for leat::half and leat::bfloat16 (core/float16.h) in
// code for the GPU, and have the same bits. They are plain values.
struct Half {
  uint16_t bits;

  Half() = default;
  LEAT_DEVICE explicit Half(float value) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  }
  LEAT_DEVICE operator float() const {  // NOLINT: widening
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
    return result;
  }
};

struct Bfloat16 {
  uint16_t bits;

  Bfloat16() = default;
  LEAT_DEVICE explicit Bfloat16(float value) {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  }
  LEAT_DEVICE operator float() const {  // NOLINT: widening
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

// Is the maximum number of blocks in one launch. Each thread of ForEach, and
// each block of ForEachBlock, loops over several indices if there are more.
inline constexpr int64_t kMaxBlocks = 65536;
inline constexpr int kForEachThreads = 256;

template <class Functor>
__global__ void __launch_bounds__(kForEachThreads)
    RunForEach(int64_t n, const __grid_constant__ Functor functor) {
  const int64_t step = int64_t{gridDim.x} * kForEachThreads;
  for (int64_t i = int64_t{blockIdx.x} * kForEachThreads + threadIdx.x; i < n;
       i += step) {
    functor(i);
  }
}

template <class Functor>
void ForEach(CUstream_st* stream, int64_t n, const Functor& functor) {
  if (n <= 0) return;
  const int64_t blocks = (n - 1) / kForEachThreads + 1;
  RunForEach<<<static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks),
               kForEachThreads, 0, stream>>>(n, functor);
}

template <int kThreads>
class Block {
 public:
  template <class Body>
  LEAT_DEVICE void Phase(Body body) {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  LEAT_DEVICE void Barrier() { __syncthreads(); }
};

template <class T, int kThreads>
class PerThread {
 public:
  LEAT_DEVICE T& operator[](int) { return value_; }

 private:
  T value_;
};

template <class Functor>
__global__ void __launch_bounds__(Functor::kThreads)
    RunForEachBlock(int64_t n, const __grid_constant__ Functor functor) {
  __shared__ typename Functor::Shared shared;
  Block<Functor::kThreads> block;
  for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
    functor(block, shared, i);
    __syncthreads();
  }
}

template <class Functor>
void ForEachBlock(CUstream_st* stream, int64_t n, const Functor& functor) {
  if (n <= 0) return;
  RunForEachBlock<<<static_cast<unsigned>(n < kMaxBlocks ? n : kMaxBlocks),
                    Functor::kThreads, 0, stream>>>(n, functor);
}

// Is the unsigned type with `bytes` bytes for atomicCAS.
template <int bytes>
struct AtomicBits {
  using Type = unsigned int;
};
template <>
struct AtomicBits<2> {
  using Type = unsigned short;  // NOLINT: CUDA's type
};
template <>
struct AtomicBits<8> {
  using Type = unsigned long long;  // NOLINT: CUDA's type
};

template <class T, class Update>
LEAT_DEVICE void AtomicUpdate(T* to, Update update) {
  using Bits = typename AtomicBits<sizeof(T)>::Type;
  Bits* const shared = reinterpret_cast<Bits*>(to);
  Bits old = *static_cast<volatile Bits*>(shared);
  for (;;) {
    const Bits expected = old;
    old = atomicCAS(shared, expected,
                    std::bit_cast<Bits>(update(std::bit_cast<T>(expected))));
    if (old == expected) return;
  }
}

template <class T>
LEAT_DEVICE void AtomicAdd(T* to, T value) {
  if constexpr (std::is_integral_v<T>) {  // wraps around
    using Bits = typename AtomicBits<sizeof(T)>::Type;
    atomicAdd(reinterpret_cast<Bits*>(to), static_cast<Bits>(value));
  } else if constexpr (sizeof(T) == 2) {
    AtomicUpdate(to, [value](T old) { return T(old + value); });
  } else {
    atomicAdd(to, value);
  }
}

template <class T>
LEAT_DEVICE T AtomicExchange(T* to, T value) {
  using Bits = typename AtomicBits<sizeof(T)>::Type;
  return std::bit_cast<T>(
      atomicExch(reinterpret_cast<Bits*>(to), std::bit_cast<Bits>(value)));
}

template <class T>
LEAT_DEVICE T CompareAndSwap(T* to, T expected, T value) {
  using Bits = typename AtomicBits<sizeof(T)>::Type;
  return std::bit_cast<T>(atomicCAS(reinterpret_cast<Bits*>(to),
                                    std::bit_cast<Bits>(expected),
                                    std::bit_cast<Bits>(value)));
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_LAUNCH_GPU_H_
