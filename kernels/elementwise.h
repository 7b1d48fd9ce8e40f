// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// All element-wise kernels of unary ops share the class UnaryKernel, and those
// of binary ops share the class BinaryKernel. An op adds only a function of one
// element or of two elements. UnaryRowOf and BinaryRowOf turn this function
// into a function of a whole row, for each dtype:
//
//   struct Square {
//     template <class W>
//     static W Do(W x) { return x * x; }
//   };
//   std::make_unique<UnaryKernel>(&UnaryRowOf<Square, float, float>,
//                                 /*cost=*/1);
#ifndef LEAT_KERNELS_ELEMENTWISE_H_
#define LEAT_KERNELS_ELEMENTWISE_H_

#include <cstdint>
#include <type_traits>

#include "leat/core/dtype.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/kernel_context.h"

// Tells the compiler that it may vectorise the loop that follows. REQUIRES: no
// iteration reads or writes an element that another iteration writes. The
// output may be one of the inputs, because then each iteration overwrites only
// the element that it has read itself.
#ifdef __clang__
#define LEAT_INDEPENDENT_ITERATIONS \
  _Pragma("clang loop vectorize(assume_safety)")
#else
#define LEAT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace leat::kernels {

// Sets output[i] = f(input[i]) for i in [0, n). `input` and `output` may be the
// same memory.
using UnaryRow = void (*)(const char* input, char* output, int64_t n);

// Sets output[i] = f(a[i * a_step], b[i * b_step]) for i in [0, n). A step is 0
// if the operand has only one element, and otherwise 1. `output` may be the
// memory of an input. Returns false if some element has no result, as in a
// division by zero.
using BinaryRow = bool (*)(const char* a, int64_t a_step, const char* b,
                           int64_t b_step, char* output, int64_t n);

// Applies a UnaryRow to input 0. The output has the input's shape, and reuses
// the input's bytes if possible. A UnaryKernel is immutable and so thread-safe.
class UnaryKernel final : public Kernel {
 public:
  // `cost` is the approximate time for 16 elements, in nanoseconds. It decides
  // how many threads share the work.
  UnaryKernel(UnaryRow row, int64_t cost) : row_(row), cost_(cost) {}
  absl::Status Compute(KernelContext& context) const final;

 private:
  const UnaryRow row_;
  const int64_t cost_;
};

// Applies a BinaryRow to inputs 0 and 1, which are broadcast to a common shape
// as in NumPy. Fails with INVALID_ARGUMENT if the shapes do not fit. Is
// immutable and so thread-safe.
class BinaryKernel final : public Kernel {
 public:
  // Says whether inputs of different shapes are broadcast or are an error.
  enum class Shapes { kBroadcast, kEqual };

  // `failure`, a text with static lifetime, is the message of the
  // INVALID_ARGUMENT that Compute returns when a row returns false.
  BinaryKernel(BinaryRow row, int64_t cost, const char* failure = "",
               Shapes shapes = Shapes::kBroadcast)
      : row_(row), cost_(cost), failure_(failure), shapes_(shapes) {}
  absl::Status Compute(KernelContext& context) const final;

 private:
  // Computes an output of shape `shape`. REQUIRES: each input has the same
  // shape and step 1, or has one element and step 0.
  absl::Status ComputeContiguous(KernelContext& context, const Shape& shape,
                                 int64_t a_step, int64_t b_step) const;
  absl::Status ComputeBroadcast(KernelContext& context) const;
  absl::Status Result(bool ok) const;

  const BinaryRow row_;
  const int64_t cost_;
  const char* const failure_;
  const Shapes shapes_;
};

// These functions return OK if input 0 has the same shape as input 1 (or as
// input `i`), and otherwise INVALID_ARGUMENT. The functions
// differ only in the error message, which is the one that TensorFlow gives for
// the op. CheckSameShape is for the gradients of math functions, such as
// SqrtGrad and TanhGrad. CheckSameSizeAndShape is for ReluGrad and similar
// gradients (activation.cc), and for AddN.
absl::Status CheckSameShape(const KernelContext& context);
absl::Status CheckSameSizeAndShape(const KernelContext& context, int i);
inline absl::Status CheckSameSizeAndShape(const KernelContext& context) {
  return CheckSameSizeAndShape(context, 1);
}

// These are the row functions of `Op`, which has `static R Do(A)` or `static R
// Do(A, A)` for A = Wide<T>. T is the element type of the inputs, and R is the
// element type of the output.
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
  // Each case has a loop of its own, so that the steps are constant and the
  // loop vectorises.
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
