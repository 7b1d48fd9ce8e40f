// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReductionOps holds the functions with which a reduction combines the tensors
// of the members, by the names in the op's attrs.
#ifndef LEAT_KERNELS_COLLECTIVES_REDUCTION_OPS_H_
#define LEAT_KERNELS_COLLECTIVES_REDUCTION_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/elementwise.h"

namespace leat::kernels {

// Is a value.
struct ReductionOps {
  BinaryRow merge = nullptr;
  BinaryRow divide = nullptr;  // null if the results are not divided
};

// Returns the functions for elements of type `dtype`. `merge_op` is "Add",
// "Mul", "Min" or "Max", and `final_op` is "Id" or "Div": divide by the number
// of members. Returns INVALID_ARGUMENT for other names and types.
absl::StatusOr<ReductionOps> ReductionOpsFor(DType dtype,
                                             absl::string_view merge_op,
                                             absl::string_view final_op);

// Returns `members` as a scalar of type `dtype`, by which results are divided.
// REQUIRES: ReductionOpsFor supports the type.
Tensor DivisorOf(DType dtype, int members);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_COLLECTIVES_REDUCTION_OPS_H_
