// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ForEachElement launches an element-wise function of one operand. The *.cu
// files of the unary functions share it.
#ifndef LEAT_KERNELS_CUDA_DEVICE_UNARY_FORMS_H_
#define LEAT_KERNELS_CUDA_DEVICE_UNARY_FORMS_H_

#include <cstdint>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {

// Wraps the static function of `Op` in a function object.
template <class Op>
struct StaticUnary {
  template <class W>
  LEAT_DEVICE auto operator()(W x) const {
    return Op::Do(x);
  }
};

// Computes a pack of elements.
template <class T, class R, class Function>
struct Elements {
  static constexpr int kSize = kPack<T>;
  const T* from;
  R* to;
  int64_t n;
  bool is_aligned;
  Function function;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    const Pack<T, size> pack = Load<size>(from + at);
    Pack<R, size> result;
    for (int k = 0; k < size; ++k) {
      result.elements[k] = static_cast<R>(
          function(static_cast<kernels::Wide<T>>(pack.elements[k])));
    }
    Store(result, to + at);
  }
};

// Sets each element of the output, of type R, to function(x) of an element of
// type T. 16-bit floats are converted to float first.
template <class T, class R, class Function>
void ForEachElement(CUstream_st* stream, const UnaryOperands& operands,
                    const Function& function) {
  const T* from = static_cast<const T*>(operands.from);
  R* to = static_cast<R*>(operands.to);
  constexpr int kSize = kPack<T>;
  ForEach(stream, NumPacks<kSize>(operands.n),
          Elements<T, R, Function>{
              from, to, operands.n,
              IsAligned<kSize>(from) && IsAligned<kSize>(to), function});
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_UNARY_FORMS_H_
