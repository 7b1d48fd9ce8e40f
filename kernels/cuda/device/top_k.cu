// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/top_k.h"

#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

using Sortable = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                       uint8_t, uint16_t, uint32_t, uint64_t>;

struct SetOrder {
  int32_t* order;
  int64_t width;

  LEAT_DEVICE void operator()(int64_t i) const {
    order[i] = static_cast<int32_t>(i % width);
  }
};

// Is one step of a bitonic sort (K. E. Batcher, "Sorting Networks and Their
// Applications", 1968). Each thread compares two entries that are `stride`
// apart and exchanges them if necessary. Indices that are not below `columns`
// come last.
template <class T>
struct OrderPairs {
  using W = kernels::Wide<T>;
  const T* from;
  int64_t columns;
  int64_t width;
  int64_t length;  // of the sequences that the step merges
  int64_t stride;
  int32_t* order;

  // Returns true if element a comes before element b.
  LEAT_DEVICE bool IsBefore(const T* row, int32_t a, int32_t b) const {
    if (a >= columns || b >= columns) return a < b;
    const W x = static_cast<W>(row[a]);
    const W y = static_cast<W>(row[b]);
    if (x > y) return true;
    if (y > x) return false;
    if (x == y) return a < b;
    const bool is_nan = !(x == x);
    return is_nan == !(y == y) ? a < b : !is_nan;
  }

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / (width / 2);
    const int64_t pair = i % (width / 2);
    const int64_t low = pair / stride * stride * 2 + pair % stride;
    int32_t& a = order[row * width + low];
    int32_t& b = order[row * width + low + stride];
    const bool is_descending = (low & length) == 0;
    if (IsBefore(from + row * columns, b, a) == is_descending) {
      const int32_t old = a;
      a = b;
      b = old;
    }
  }
};

template <class T, class Index>
struct TakeFirst {
  SortedRows sorted;
  int64_t k;
  T* values;
  Index* indices;

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / k;
    const int32_t column = sorted.order[row * sorted.width + i % k];
    values[i] =
        static_cast<const T*>(sorted.from)[row * sorted.columns + column];
    indices[i] = static_cast<Index>(column);
  }
};

}  // namespace

bool LaunchSortRows(CUstream_st* stream, const SortedRows& sorted) {
  return VisitType(Sortable(), sorted.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEach(stream, sorted.rows * sorted.width,
            SetOrder{sorted.order, sorted.width});
    for (int64_t length = 2; length <= sorted.width; length *= 2) {
      for (int64_t stride = length / 2; stride > 0; stride /= 2) {
        ForEach(
            stream, sorted.rows * (sorted.width / 2),
            OrderPairs<T>{static_cast<const T*>(sorted.from), sorted.columns,
                          sorted.width, length, stride, sorted.order});
      }
    }
  });
}

bool LaunchTakeFirst(CUstream_st* stream, const SortedRows& sorted, int64_t k,
                     ElementType index_type, void* values, void* indices) {
  return VisitType(Sortable(), sorted.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    VisitType(Types<int16_t, int32_t, int64_t>(), index_type, [&](auto index) {
      using Index = typename decltype(index)::type;
      ForEach(stream, sorted.rows * k,
              TakeFirst<T, Index>{sorted, k, static_cast<T*>(values),
                                  static_cast<Index*>(indices)});
    });
  });
}

}  // namespace leat::cuda
