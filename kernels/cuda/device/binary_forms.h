// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ForEachPair launches an element-wise function of two operands. The *.cu files
// of the binary functions share it.
#ifndef LEAT_KERNELS_CUDA_DEVICE_BINARY_FORMS_H_
#define LEAT_KERNELS_CUDA_DEVICE_BINARY_FORMS_H_

#include <cstdint>

#include "leat/kernels/cuda/device/binary.h"
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

// Computes a pack of elements. Each operand has as many elements as the output,
// or a single element.
template <class T, class R, class Function>
struct ContiguousPairs {
  static constexpr int kSize = kPack<T>;
  const T* a;
  const T* b;
  R* output;
  int64_t n, a_step, b_step;
  bool is_aligned;
  Function function;

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t begin = i * kSize;
    const bool whole = is_aligned && begin + kSize <= n;
    const int count = n - begin < kSize ? static_cast<int>(n - begin) : kSize;
    const Pack<T, kSize> left = Load<kSize>(a, a_step, begin, count, whole);
    const Pack<T, kSize> right = Load<kSize>(b, b_step, begin, count, whole);
    Pack<R, kSize> result;
    for (int k = 0; k < kSize; ++k) {
      if (k >= count) break;
      using W = kernels::Wide<T>;
      result.elements[k] = static_cast<R>(function(
          static_cast<W>(left.elements[k]), static_cast<W>(right.elements[k])));
    }
    Store(result, output, begin, count, whole);
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

// Sets each element of the output, of type R, to function(a, b) of elements of
// type T. 16-bit floats are converted to float first.
template <class T, class R, class Function>
void ForEachPair(CUstream_st* stream, const BinaryOperands& operands,
                 const Function& function) {
  const T* a = static_cast<const T*>(operands.a);
  const T* b = static_cast<const T*>(operands.b);
  R* output = static_cast<R*>(operands.output);
  if (operands.map != nullptr) {
    ForEach(
        stream, operands.n,
        BroadcastPairs<T, R, Function>{a, b, output, *operands.map, function});
    return;
  }
  constexpr int kSize = kPack<T>;
  const bool is_aligned = IsAligned<kSize>(output) &&
                          (operands.a_step == 0 || IsAligned<kSize>(a)) &&
                          (operands.b_step == 0 || IsAligned<kSize>(b));
  ForEach(
      stream, operands.n / kSize + (operands.n % kSize != 0),
      ContiguousPairs<T, R, Function>{a, b, output, operands.n, operands.a_step,
                                      operands.b_step, is_aligned, function});
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_BINARY_FORMS_H_
