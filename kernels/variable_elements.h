// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// UpdateElements changes some elements of a variable, for kernels that scatter
// updates or assign to a slice.
#ifndef LEAT_KERNELS_VARIABLE_ELEMENTS_H_
#define LEAT_KERNELS_VARIABLE_ELEMENTS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/object_mover.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {

// Calls `apply(updates, elements)`, which returns an absl::Status, for the
// variable of `dtype` in input 0 and the updates in input `i`, and outputs the
// reference if the op has one. Plain elements change in place. If the elements
// are objects, `apply` gets tensors of pointers to them (object_mover.h), and
// the new value is written to a new tensor: the memory of strings is counted
// only when their tensor is allocated, so strings that are written in place
// would not be counted.
template <class Apply>
absl::Status UpdateElements(KernelContext& context, DType dtype, int i,
                            Apply apply) {
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                        GetVariable(context, 0, dtype));
  if (IsPlainBytes(dtype)) {
    LEAT_RETURN_IF_ERROR(variable->UpdateRows(
        context.step().device->allocator(),
        [&](Tensor& elements) { return apply(context.input(i), elements); }));
  } else {
    LEAT_ASSIGN_OR_RETURN(const Tensor updates,
                          PointersTo(context.input(i), context));
    LEAT_RETURN_IF_ERROR(
        variable->Replace([&](const Tensor& old) -> absl::StatusOr<Tensor> {
          LEAT_ASSIGN_OR_RETURN(Tensor elements, PointersTo(old, context));
          LEAT_RETURN_IF_ERROR(apply(updates, elements));
          return CopyPointees(elements, dtype, context);
        }));
  }
  ForwardRef(context);
  return absl::OkStatus();
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIABLE_ELEMENTS_H_
