// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels of TensorLists and of TensorArrays use these helpers to make one
// tensor from many elements, and elements from the rows of a tensor. An element
// that was never written is Tensor() and stands for zeros. The helpers are
// stateless.
#ifndef LEAT_KERNELS_ARRAYS_STACKED_ELEMENTS_H_
#define LEAT_KERNELS_ARRAYS_STACKED_ELEMENTS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns element `i`. Several threads call it at the same time.
using ElementAt = absl::FunctionRef<const Tensor&(int64_t i)>;

// Returns how many bytes the strings, handles or variants of `count` elements
// hold.
int64_t HeldBytesOf(int64_t count, ElementAt at);

// Returns `row` with a new first dimension of extent `rows`.
absl::StatusOr<Shape> WithRows(int64_t rows, const Shape& row);

// Returns row `i` of `tensor`, whose bytes it shares. `shape` is the shape of a
// row. REQUIRES: 0 <= i < tensor.dim(0).
absl::StatusOr<Tensor> RowOf(const Tensor& tensor, int64_t i,
                             const Shape& shape);

// Sets `output` to `count` elements of one shape, one after another. Returns
// INTERNAL if an element is not in the memory of the kernel's device.
// REQUIRES: `output` has room for exactly these elements, which have its dtype.
absl::Status StackElements(KernelContext& context, int64_t count, ElementAt at,
                           Tensor& output);

// Does the same, but element i has rows[i] rows of the shape `row`, one after
// another.
absl::Status ConcatElements(KernelContext& context,
                            absl::Span<const int64_t> rows, const Shape& row,
                            ElementAt at, Tensor& output);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ARRAYS_STACKED_ELEMENTS_H_
