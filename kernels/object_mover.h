// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// With these functions, kernels move strings, resource handles and variants
// (the "objects") as plain elements of 8 bytes. The kernels see pointers to the
// objects. Only this file copies the objects, at the end, after it has reserved
// the memory for the copies. Otherwise a graph could make terabytes from a few
// tiles of a long string. Kernels that only rearrange a tensor use these
// functions through element_copy.h.
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

// Is the dtype of tensors of pointers. Their elements are PlainElement<8>; a
// null pointer stands for an empty object.
inline constexpr DType kPointer = DType::kUint64;

// Returns a tensor of pointers to the elements of `objects`. `objects` must
// outlive the pointers. REQUIRES: the elements are strings, resource handles or
// variants.
absl::StatusOr<Tensor> PointersTo(const Tensor& objects,
                                  KernelContext& context);

// Returns a tensor of copies of the objects of `dtype` that `pointers` points
// to. Returns RESOURCE_EXHAUSTED if the copies need more memory than there is.
absl::StatusOr<Tensor> CopyPointees(const Tensor& pointers, DType dtype,
                                    KernelContext& context);

// Makes a kernel for `node`, which moves objects of `dtype`. The kernel wraps
// and owns `mover`, a kernel that moves elements of 8 bytes. `mover` gets a
// tensor of pointers in the place of every input and output of `dtype`. An
// output that is only a view of an input shares the input's objects instead of
// copying them.
std::unique_ptr<Kernel> NewObjectMover(const NodeDef& node, DType dtype,
                                       std::unique_ptr<Kernel> mover);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_OBJECT_MOVER_H_
