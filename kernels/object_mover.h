// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Moving strings, resource handles and variants: kernels that only rearrange a
// tensor do so with pointers to its objects. The objects are copied at the end,
// in one place, where it is known how many bytes they are going to take: a few
// tiles of a long string would otherwise make terabytes.
#ifndef LEAT_KERNELS_OBJECT_MOVER_H_
#define LEAT_KERNELS_OBJECT_MOVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/kernel_context.h"

namespace leat {
struct NodeDef;
}  // namespace leat

namespace leat::kernels {

// The dtype of tensors of pointers, whose elements are PlainElement<8>. Null
// stands for an empty object.
inline constexpr DType kPointer = DType::kUint64;

// Pointers to the elements of `objects`, which they must not outlive.
// REQUIRES: strings, resource handles or variants.
absl::StatusOr<Tensor> PointersTo(const Tensor& objects,
                                  KernelContext& context);

// Copies of the objects of `dtype` that `pointers` point to.
// RESOURCE_EXHAUSTED when they take more memory than there is.
absl::StatusOr<Tensor> CopyPointees(const Tensor& pointers, DType dtype,
                                    KernelContext& context);

// A kernel for `node`, which moves objects of `dtype`, made of one that moves
// plain elements of 8 bytes: all tensors of that dtype become pointers for it.
std::unique_ptr<Kernel> NewObjectMover(const NodeDef& node, DType dtype,
                                       std::unique_ptr<Kernel> mover);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_OBJECT_MOVER_H_
