// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// This header defines the functions of launch.h for the host. Only launch.h
// includes it. The stream is a HostStream, which also says how many threads to
// use.
#ifndef LEAT_KERNELS_CUDA_DEVICE_LAUNCH_HOST_H_
#define LEAT_KERNELS_CUDA_DEVICE_LAUNCH_HOST_H_

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "leat/core/float16.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/kernels/functors/device_code.h"

namespace leat::cuda {

inline constexpr bool kIsForHost = true;

using Half = half;
using Bfloat16 = bfloat16;

template <class Functor>
void ForEach(CUstream_st* stream, int64_t n, const Functor& functor) {
  if (n <= 0) return;
  HostStream& host = HostStream::Of(stream);
  host.Add([n, functor, threads = host.num_threads()] {
    RunInParts(threads, n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) functor(i);
    });
  });
}

template <int kThreads>
class Block {
 public:
  explicit Block(int host_threads) : host_threads_(host_threads) {}

  template <class Body>
  void Phase(Body body) {
    RunInParts(host_threads_, kThreads, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) body(static_cast<int>(t));
    });
  }
  // Between phases only one thread runs.
  void Barrier() {}

 private:
  const int host_threads_;
};

template <class T, int kThreads>
class PerThread {
 public:
  T& operator[](int thread) { return values_[thread]; }

 private:
  T values_[kThreads];
};

template <class Functor>
void ForEachBlock(CUstream_st* stream, int64_t n, const Functor& functor) {
  if (n <= 0) return;
  HostStream& host = HostStream::Of(stream);
  host.Add([n, functor, threads = host.num_threads()] {
    Block<Functor::kThreads> block(threads);
    for (int64_t i = 0; i < n; ++i) {
      // The memory is not initialized, as on a GPU.
      typename Functor::Shared shared;
      functor(block, shared, i);
    }
  });
}

template <class T, class Update>
void AtomicUpdate(T* to, Update update) {
  std::atomic_ref<T> shared(*to);
  T old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, update(old),
                                       std::memory_order_relaxed)) {
  }
}

template <class T>
void AtomicAdd(T* to, T value) {
  if constexpr (std::is_integral_v<T>) {  // wraps around
    std::atomic_ref<T>(*to).fetch_add(value, std::memory_order_relaxed);
  } else {
    AtomicUpdate(to, [value](T old) { return T(old + value); });
  }
}

template <class T>
T AtomicExchange(T* to, T value) {
  return std::atomic_ref<T>(*to).exchange(value, std::memory_order_relaxed);
}

template <class T>
T CompareAndSwap(T* to, T expected, T value) {
  std::atomic_ref<T>(*to).compare_exchange_strong(expected, value,
                                                  std::memory_order_relaxed);
  return expected;
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_LAUNCH_HOST_H_
