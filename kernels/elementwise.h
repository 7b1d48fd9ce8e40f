// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Element-wise kernels: one class for all unary ops and one for all binary ops;
// an op and a type add only a function over a row of elements.
#ifndef LEAT_KERNELS_ELEMENTWISE_H_
#define LEAT_KERNELS_ELEMENTWISE_H_

#include <cstdint>
#include <type_traits>

#include "leat/core/dtype.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/kernel_context.h"

// Before a loop in which iteration i reads and writes nothing of another
// iteration, though the output may be one of the inputs.
#ifdef __clang__
#define LEAT_INDEPENDENT_ITERATIONS \
  _Pragma("clang loop vectorize(assume_safety)")
#else
#define LEAT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace leat::kernels {

// The type in which arithmetic on a T happens: float for the 16-bit ones.
template <class T>
using Wide =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>,
                       float, T>;

// For integers: sums, differences and products of which wrap around, without
// the promotions to int that make small unsigned types overflow.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

// output[i] = f(input[i]) for i in [0, n); the two may be the same.
using UnaryRow = void (*)(const char* input, char* output, int64_t n);

// output[i] = f(a[i * a_step], b[i * b_step]); steps are 0 or 1. False when an
// element has no result (division by zero).
using BinaryRow = bool (*)(const char* a, int64_t a_step, const char* b,
                           int64_t b_step, char* output, int64_t n);

class UnaryKernel final : public Kernel {
 public:
  // `cost` is a rough count of nanoseconds for 16 elements.
  UnaryKernel(UnaryRow row, int64_t cost) : row_(row), cost_(cost) {}
  absl::Status Compute(KernelContext& context) const final;

 private:
  const UnaryRow row_;
  const int64_t cost_;
};

class BinaryKernel final : public Kernel {
 public:
  enum class Shapes { kBroadcast, kEqual };

  // `failure` (static text) is the INVALID_ARGUMENT when a row returns false.
  BinaryKernel(BinaryRow row, int64_t cost, const char* failure = "",
               Shapes shapes = Shapes::kBroadcast)
      : row_(row), cost_(cost), failure_(failure), shapes_(shapes) {}
  absl::Status Compute(KernelContext& context) const final;

 private:
  absl::Status ComputeContiguous(KernelContext& context, const Shape& shape,
                                 int64_t a_step, int64_t b_step) const;
  absl::Status ComputeBroadcast(KernelContext& context) const;
  absl::Status Result(bool ok) const;

  const BinaryRow row_;
  const int64_t cost_;
  const char* const failure_;
  const Shapes shapes_;
};

// The row functions of `Op`, which has `static R Do(A)` or `static R Do(A, A)`
// over A = Wide<T>; T and R are the element types in memory.
template <class Op, class T, class R>
void UnaryRowOf(const char* input, char* output, int64_t n) {
  const T* in = reinterpret_cast<const T*>(input);
  R* out = reinterpret_cast<R*>(output);
  LEAT_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<R>(Op::Do(static_cast<const Wide<T>&>(in[i])));
  }
}

template <class Op, class T, class R>
bool BinaryRowOf(const char* a_data, int64_t a_step, const char* b_data,
                 int64_t b_step, char* output, int64_t n) {
  const T* a = reinterpret_cast<const T*>(a_data);
  const T* b = reinterpret_cast<const T*>(b_data);
  R* out = reinterpret_cast<R*>(output);
  using W = Wide<T>;
  if (n == 1) {
    *out = static_cast<R>(
        Op::Do(static_cast<const W&>(*a), static_cast<const W&>(*b)));
  } else if (a_step == 0) {
    const W left = static_cast<const W&>(*a);
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<R>(Op::Do(left, static_cast<const W&>(b[i])));
    }
  } else if (b_step == 0) {
    const W right = static_cast<const W&>(*b);
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<R>(Op::Do(static_cast<const W&>(a[i]), right));
    }
  } else {
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<R>(
          Op::Do(static_cast<const W&>(a[i]), static_cast<const W&>(b[i])));
    }
  }
  return true;
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ELEMENTWISE_H_
