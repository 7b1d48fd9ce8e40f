// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/arg_reduce.h"

#include <limits>
#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

// An element that was found, or none if `index` is negative.
template <class W>
struct Found {
  W value;
  int64_t index;
};

template <class W, bool largest>
struct Better {
  LEAT_DEVICE static bool Beats(W a, W b) { return largest ? a > b : a < b; }

  LEAT_DEVICE Found<W> operator()(const Found<W>& a, const Found<W>& b) const {
    if (a.index < 0) return b;
    if (b.index < 0 || Beats(a.value, b.value)) return a;
    if (Beats(b.value, a.value)) return b;
    return a.index < b.index ? a : b;
  }
};

template <class T, bool largest>
struct ArgReduce {
  using W = kernels::Wide<T>;
  static constexpr int kThreads = 64;
  struct Shared {
    Found<W> found[kThreads];
  };
  const T* from;
  int64_t n, inner;
  void* indices;
  int index_bytes;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t i) const {
    // An element is considered only if it is better than this value.
    const W worst = largest ? std::numeric_limits<W>::lowest()
                            : std::numeric_limits<W>::max();
    const T* first = from + i / inner * n * inner + i % inner;
    PerThread<Found<W>, kThreads> found;
    block.Phase([&](int t) {
      found[t] = {worst, -1};
      for (int64_t k = t; k < n; k += kThreads) {
        const W value = static_cast<W>(first[k * inner]);
        if (Better<W, largest>::Beats(value, found[t].value)) {
          found[t] = {value, k};
        }
      }
    });
    const Found<W> best =
        BlockReduce(block, found, shared.found, Better<W, largest>());
    block.Phase([&](int t) {
      if (t == 0) Write(i, best.index < 0 ? 0 : best.index);
    });
  }

  LEAT_DEVICE void Write(int64_t i, int64_t index) const {
    if (index_bytes == 8) {
      static_cast<int64_t*>(indices)[i] = index;
    } else if (index_bytes == 4) {
      static_cast<int32_t*>(indices)[i] = static_cast<int32_t>(index);
    } else {
      static_cast<int16_t*>(indices)[i] = static_cast<int16_t>(index);
    }
  }
};

}  // namespace

bool LaunchArgReduce(CUstream_st* stream, ElementType type, bool largest,
                     const void* from, int64_t outer, int64_t n, int64_t inner,
                     void* indices, int index_bytes) {
  return VisitType(
      Types<Half, Bfloat16, float, double, bool>(), type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* data = static_cast<const T*>(from);
        if (largest) {
          ForEachBlock(
              stream, outer * inner,
              ArgReduce<T, true>{data, n, inner, indices, index_bytes});
        } else {
          ForEachBlock(
              stream, outer * inner,
              ArgReduce<T, false>{data, n, inner, indices, index_bytes});
        }
      });
}

}  // namespace leat::cuda
