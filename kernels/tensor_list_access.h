// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels of TensorList ops use these helpers. They read lists and element
// shapes from inputs, and output a list that was changed. Error messages are
// TensorFlow's. The helpers are stateless.
#ifndef LEAT_KERNELS_TENSOR_LIST_ACCESS_H_
#define LEAT_KERNELS_TENSOR_LIST_ACCESS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/partial_shape.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns the list in input `i`, a scalar variant. The input owns the list.
// Returns INVALID_ARGUMENT if the input is not a scalar or holds no list.
absl::StatusOr<const TensorList*> GetList(const KernelContext& context, int i);

// Does the same as the function above, but also returns INVALID_ARGUMENT if the
// list's elements are not of `dtype`, the op's attr.
absl::StatusOr<const TensorList*> GetList(const KernelContext& context, int i,
                                          DType dtype);

// Sets output `o` to a list that the kernel may change, and returns this list.
// It is the list of input `i` itself if nothing else refers to that list.
// Otherwise it is a copy that shares the bytes of the elements. The caller must
// not use input `i` any more. Returns RESOURCE_EXHAUSTED if there is no memory
// for the copy. REQUIRES: GetList(i) succeeded.
absl::StatusOr<TensorList*> ForwardOrCopyList(KernelContext& context, int i,
                                              int o);

// Returns the allocator for the arrays of lists. Their memory counts towards
// the device's limit.
Allocator& ListMemory(const KernelContext& context);

// Sets output `o` to a scalar variant that holds `list`.
absl::Status SetList(KernelContext& context, int o, TensorList list);

// Returns the shape in an int32 or int64 tensor: a vector of extents, with -1
// for an unknown one, or the scalar -1 for an unknown rank. Returns
// INVALID_ARGUMENT for other values.
absl::StatusOr<PartialShape> GetPartialShape(const Tensor& tensor);

// Merges the element shape in input `i` with the list's own element shape.
// Returns INVALID_ARGUMENT if they contradict each other.
absl::StatusOr<PartialShape> GetElementShape(const KernelContext& context,
                                             const TensorList& list, int i);

// Merges `shape` with the shape of every element that has been written. Returns
// INVALID_ARGUMENT if they contradict each other.
absl::StatusOr<PartialShape> MergeElementShapes(const TensorList& list,
                                                PartialShape shape);

// Returns the value of input `i`, an int32 tensor of one element. Returns
// INVALID_ARGUMENT, with `what` as the input's name, if the input is not such a
// tensor.
absl::StatusOr<int32_t> GetInt(const KernelContext& context, int i,
                               absl::string_view what);

// Returns true if variants hold tensors of this dtype in the memory of the GPU.
// Returns false on a CPU. Even on a GPU, int32 tensors, strings, handles and
// variants are in host memory.
bool AreHeldOnGpu(const KernelContext& context, DType dtype);

// Returns INTERNAL if `held`, a tensor that a variant holds, is not in the
// memory that AreHeldOnGpu prescribes. A kernel must call CheckMemory before it
// reads the bytes of a held tensor. Returns OK for Tensor(), an element that
// was never written.
absl::Status CheckMemory(const KernelContext& context, const Tensor& held);

// Returns a tensor of zeros, or of empty strings, handles or variants, in the
// memory that AreHeldOnGpu prescribes.
absl::StatusOr<Tensor> MakeZeros(KernelContext& context, DType dtype,
                                 const Shape& shape);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_TENSOR_LIST_ACCESS_H_
