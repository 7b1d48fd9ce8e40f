// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/scan.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/functors/reduction.h"

namespace leat::cuda {
namespace {

// Is a line of the arrays along the scanned dimension.
template <class Op, class T>
struct Line {
  using W = kernels::Wide<T>;
  const ScanOperands& o;
  const T* from;
  T* to;

  LEAT_DEVICE Line(const ScanOperands& operands, int64_t line) : o(operands) {
    const int64_t start = line / o.inner * o.n * o.inner + line % o.inner;
    from = static_cast<const T*>(o.from) + start;
    to = static_cast<T*>(o.to) + start;
  }
  LEAT_DEVICE int64_t At(int64_t k) const {
    return (o.reverse ? o.n - 1 - k : k) * o.inner;
  }
  LEAT_DEVICE static W Combine(W a, W b) { return Op::Do(a, b); }

  // Returns the sum or product of the elements [begin, end).
  LEAT_DEVICE W Total(int64_t begin, int64_t end) const {
    W total = Op::template kIdentity<W>;
    for (int64_t k = begin; k < end; ++k) {
      total = Combine(total, static_cast<W>(from[At(k)]));
    }
    return total;
  }
  // Stores the results of the elements [begin, end). `total` is the sum or
  // product of all elements before `begin`.
  LEAT_DEVICE void Store(int64_t begin, int64_t end, W total) const {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t i = At(k);
      const W next = Combine(total, static_cast<W>(from[i]));
      to[i] = static_cast<T>(o.exclusive ? total : next);
      total = next;
    }
  }
};

// Each thread scans one line.
template <class Op, class T>
struct ScanLine {
  ScanOperands o;
  LEAT_DEVICE void operator()(int64_t line) const {
    Line<Op, T>(o, line).Store(0, o.n,
                               Op::template kIdentity<kernels::Wide<T>>);
  }
};

// Each block scans one line. Each of its threads scans a part of the line.
template <class Op, class T>
struct ScanLongLine {
  using W = kernels::Wide<T>;
  static constexpr int kThreads = 256;
  struct Shared {
    W totals[kThreads];
  };
  ScanOperands o;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t index) const {
    const Line<Op, T> line(o, index);
    const int64_t size = (o.n - 1) / kThreads + 1;
    const auto begin = [&](int t) { return size * t < o.n ? size * t : o.n; };
    block.Phase(
        [&](int t) { shared.totals[t] = line.Total(begin(t), begin(t + 1)); });
    PerThread<W, kThreads> total;
    for (int width = 1; width < kThreads; width *= 2) {
      block.Phase([&](int t) {
        total[t] = t < width ? shared.totals[t]
                             : line.Combine(shared.totals[t - width],
                                            shared.totals[t]);
      });
      block.Phase([&](int t) { shared.totals[t] = total[t]; });
    }
    block.Phase([&](int t) {
      line.Store(begin(t), begin(t + 1),
                 t == 0 ? Op::template kIdentity<W> : shared.totals[t - 1]);
    });
  }
};

template <class Op>
bool Launch(CUstream_st* stream, ElementType type, const ScanOperands& o) {
  constexpr int64_t kManyLines = 4096;
  constexpr int64_t kShortLine = 64;
  const int64_t lines = o.outer * o.inner;
  return VisitType(Types<Half, Bfloat16, float, double, int64_t>(), type,
                   [&](auto tag) {
                     using T = typename decltype(tag)::type;
                     if (lines >= kManyLines || o.n <= kShortLine) {
                       ForEach(stream, lines, ScanLine<Op, T>{o});
                     } else {
                       ForEachBlock(stream, lines, ScanLongLine<Op, T>{o});
                     }
                   });
}

}  // namespace

bool LaunchScan(CUstream_st* stream, Scan function, ElementType type,
                const ScanOperands& operands) {
  return function == Scan::kSum
             ? Launch<kernels::functors::Sum>(stream, type, operands)
             : Launch<kernels::functors::Prod>(stream, type, operands);
}

}  // namespace leat::cuda
