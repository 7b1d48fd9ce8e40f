// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ForEachPair launches an element-wise function of two operands. The *.cu files
// of the binary functions share it.
#ifndef LEAT_KERNELS_CUDA_DEVICE_BINARY_FORMS_H_
#define LEAT_KERNELS_CUDA_DEVICE_BINARY_FORMS_H_

#include <cstdint>

#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/divider.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {

// Wraps the static function of `Op` in a function object.
template <class Op>
struct Static {
  template <class W>
  LEAT_DEVICE auto operator()(W a, W b) const {
    return Op::Do(a, b);
  }
};

// An operand whose elements repeat after `period` elements. The period is the
// number of outputs, the length of a row that is combined with many others, or
// 1 for a single element. A plain value.
template <class T>
struct Periodic {
  const T* data;
  IndexDivider period;

  // Returns true if a pack may be read from each multiple of kPack<T>.
  bool is_aligned(int64_t n) const {
    const int64_t length = period.divisor;
    return length == 1 || (IsAligned<kPack<T>>(data) &&
                           (length == n || length % kPack<T> == 0));
  }

  // Returns the elements for the outputs at, at + 1, ..., at + size - 1.
  template <int size>
  LEAT_DEVICE Pack<T, size> Read(int64_t at) const {
    if (period.divisor == 1) return Repeat<size>(*data);
    if (at >= period.divisor) at -= period.Divide(at) * period.divisor;
    return Load<size>(data + at);
  }
};

// Computes a pack of elements.
template <class T, class R, class Function>
struct ContiguousPairs {
  static constexpr int kSize = kPack<T>;
  Periodic<T> a;
  Periodic<T> b;
  R* output;
  int64_t n;
  bool is_aligned;
  Function function;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    using W = kernels::Wide<T>;
    const auto left = a.template Read<size>(at);
    const auto right = b.template Read<size>(at);
    Pack<R, size> result;
    for (int k = 0; k < size; ++k) {
      result.elements[k] = static_cast<R>(function(
          static_cast<W>(left.elements[k]), static_cast<W>(right.elements[k])));
    }
    Store(result, output + at);
  }
};

template <class T, class R, class Function>
struct BroadcastPairs {
  const T* a;
  const T* b;
  R* output;
  IndexMap<2> map;
  Function function;

  LEAT_DEVICE void operator()(int64_t i) const {
    using W = kernels::Wide<T>;
    int64_t at[2];
    map.Find(i, at);
    output[i] = static_cast<R>(
        function(static_cast<W>(a[at[0]]), static_cast<W>(b[at[1]])));
  }
};

// Returns the period of operand `k`, or 0 if its elements do not repeat in the
// order of the outputs.
inline int64_t PeriodOf(const BinaryOperands& operands, int k) {
  if (operands.map == nullptr) {
    return (k == 0 ? operands.a_step : operands.b_step) == 0 ? 1 : operands.n;
  }
  const IndexMap<2>& map = *operands.map;
  if (map.rank != 2 || map.strides[k][1] != 1) return 0;
  const int64_t row = map.extents[1];
  if (map.strides[k][0] == row) return operands.n;
  return map.strides[k][0] == 0 ? row : 0;
}

// Sets each element of the output, of type R, to function(a, b) of elements of
// type T. 16-bit floats are converted to float first.
template <class T, class R, class Function>
void ForEachPair(CUstream_st* stream, const BinaryOperands& operands,
                 const Function& function) {
  const T* a = static_cast<const T*>(operands.a);
  const T* b = static_cast<const T*>(operands.b);
  R* output = static_cast<R*>(operands.output);
  const int64_t n = operands.n;
  if (n <= 0) return;
  const int64_t a_period = PeriodOf(operands, 0);
  const int64_t b_period = PeriodOf(operands, 1);
  if (a_period == 0 || b_period == 0) {
    ForEach(
        stream, n,
        BroadcastPairs<T, R, Function>{a, b, output, *operands.map, function});
    return;
  }
  constexpr int kSize = kPack<T>;
  const Periodic<T> left = {a, MakeIndexDivider(a_period, n)};
  const Periodic<T> right = {b, MakeIndexDivider(b_period, n)};
  const bool is_aligned =
      IsAligned<kSize>(output) && left.is_aligned(n) && right.is_aligned(n);
  ForEach(stream, NumPacks<kSize>(n),
          ContiguousPairs<T, R, Function>{left, right, output, n, is_aligned,
                                          function});
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_BINARY_FORMS_H_
