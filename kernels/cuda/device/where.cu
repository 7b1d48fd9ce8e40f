// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/where.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

using Countable = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                        uint8_t, uint16_t, uint32_t, uint64_t, bool>;

int64_t NumPieces(int64_t n) { return (n + kCountedPiece - 1) / kCountedPiece; }

template <class T>
struct NonZero {
  using W = kernels::Wide<T>;
  const T* from;
  int64_t n;

  LEAT_DEVICE bool operator()(int64_t i) const {
    return static_cast<W>(from[i]) != W(0);
  }
  // Returns where the piece ends.
  LEAT_DEVICE int64_t End(int64_t piece) const {
    const int64_t end = (piece + 1) * kCountedPiece;
    return end < n ? end : n;
  }
};

template <class T>
struct CountPiece {
  NonZero<T> is_non_zero;
  int64_t* counts;

  LEAT_DEVICE void operator()(int64_t piece) const {
    int64_t count = 0;
    for (int64_t i = piece * kCountedPiece; i < is_non_zero.End(piece); ++i) {
      count += is_non_zero(i) ? 1 : 0;
    }
    counts[piece] = count;
  }
};

// Replaces each of n counts by the sum of the counts before it. Sets counts[n]
// to the sum of all counts. There is one block, and each of its threads has a
// range of the counts.
struct SumCounts {
  static constexpr int kThreads = 256;
  struct Shared {
    int64_t sums[kThreads];
  };
  int64_t* counts;
  int64_t n;

  LEAT_DEVICE int64_t Begin(int t) const {
    const int64_t begin = (n + kThreads - 1) / kThreads * t;
    return begin < n ? begin : n;
  }

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t) const {
    block.Phase([&](int t) {
      int64_t sum = 0;
      for (int64_t i = Begin(t); i < Begin(t + 1); ++i) sum += counts[i];
      shared.sums[t] = sum;
    });
    block.Phase([&](int t) {
      if (t != 0) return;
      int64_t sum = 0;
      for (int k = 0; k < kThreads; ++k) {
        const int64_t own = shared.sums[k];
        shared.sums[k] = sum;
        sum += own;
      }
      counts[n] = sum;
    });
    block.Phase([&](int t) {
      int64_t sum = shared.sums[t];
      for (int64_t i = Begin(t); i < Begin(t + 1); ++i) {
        const int64_t own = counts[i];
        counts[i] = sum;
        sum += own;
      }
    });
  }
};

template <class T>
struct WriteCoordinates {
  NonZero<T> is_non_zero;
  const int64_t* offsets;
  Extents extents;
  int64_t* to;

  LEAT_DEVICE void operator()(int64_t piece) const {
    int64_t* out = to + offsets[piece] * extents.rank;
    for (int64_t i = piece * kCountedPiece; i < is_non_zero.End(piece); ++i) {
      if (!is_non_zero(i)) continue;
      int64_t rest = i;
      for (int d = extents.rank - 1; d >= 0; --d) {
        out[d] = rest % extents.extents[d];
        rest /= extents.extents[d];
      }
      out += extents.rank;
    }
  }
};

}  // namespace

bool LaunchCountNonZero(CUstream_st* stream, ElementType type, const void* from,
                        int64_t n, int64_t* offsets) {
  const int64_t num_pieces = NumPieces(n);
  return VisitType(Countable(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEach(stream, num_pieces,
            CountPiece<T>{{static_cast<const T*>(from), n}, offsets});
    ForEachBlock(stream, 1, SumCounts{offsets, num_pieces});
  });
}

bool LaunchFindNonZero(CUstream_st* stream, ElementType type, const void* from,
                       int64_t n, const int64_t* offsets,
                       const Extents& extents, int64_t* to) {
  return VisitType(Countable(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEach(stream, NumPieces(n),
            WriteCoordinates<T>{
                {static_cast<const T*>(from), n}, offsets, extents, to});
  });
}

}  // namespace leat::cuda
