// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the kernels of TensorList ops share: reading lists and element shapes
// from inputs, and giving out a list that was changed. Messages are
// TensorFlow's. Stateless.
#ifndef LEAT_KERNELS_TENSOR_LIST_ACCESS_H_
#define LEAT_KERNELS_TENSOR_LIST_ACCESS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor_list.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// The list that input `i`, a scalar variant, holds; it lives as long as the
// input. INVALID_ARGUMENT when there is none.
absl::StatusOr<const TensorList*> GetList(const KernelContext& context, int i);

// The same; its elements must be of `dtype`, the op's attr.
absl::StatusOr<const TensorList*> GetList(const KernelContext& context, int i,
                                          DType dtype);

// Makes output `o` a list to be changed: that of input `i` itself when this
// kernel is all that refers to it, else a copy. The input must not be used any
// more. REQUIRES: GetList(i) succeeded.
absl::StatusOr<TensorList*> ForwardOrCopyList(KernelContext& context, int i,
                                              int o);

// Where lists have their elements: memory that the device's limit counts.
Allocator& ListMemory(const KernelContext& context);

// Makes output `o` this list.
absl::Status SetList(KernelContext& context, int o, TensorList list);

// The shape in an int32 or int64 tensor: extents, -1 for an unknown one, or a
// scalar -1 for an unknown rank. INVALID_ARGUMENT otherwise.
absl::StatusOr<PartialShape> GetPartialShape(const Tensor& tensor);

// What input `i` and the list say together of the elements' shape.
// INVALID_ARGUMENT when they contradict.
absl::StatusOr<PartialShape> GetElementShape(const KernelContext& context,
                                             const TensorList& list, int i);

// `shape` merged with that of every element which is written.
absl::StatusOr<PartialShape> MergeElementShapes(const TensorList& list,
                                                PartialShape shape);

// An int32 input of one element.
absl::StatusOr<int32_t> GetInt(const KernelContext& context, int i,
                               absl::string_view what);

// A tensor of zeros; empty strings, handles or variants.
absl::StatusOr<Tensor> MakeZeros(KernelContext& context, DType dtype,
                                 const Shape& shape);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_TENSOR_LIST_ACCESS_H_
