// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/collectives/reduction_ops.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/kernels/functors/binary_math.h"

namespace leat::kernels {
namespace {

constexpr DTypeList<bfloat16, half, float, double, int32_t, int64_t> kReduced;

// Divides by a number of members, which is never 0 or -1.
struct Divide {
  template <class W>
  static W Do(W a, W b) {
    return a / b;
  }
};

template <class T>
BinaryRow MergeRow(absl::string_view merge_op) {
  if (merge_op == "Add") return &BinaryRowOf<functors::Add, T, T>;
  if (merge_op == "Mul") return &BinaryRowOf<functors::Mul, T, T>;
  if (merge_op == "Max") return &BinaryRowOf<functors::Maximum, T, T>;
  if (merge_op == "Min") return &BinaryRowOf<functors::Minimum, T, T>;
  return nullptr;
}

}  // namespace

absl::StatusOr<ReductionOps> ReductionOpsFor(DType dtype,
                                             absl::string_view merge_op,
                                             absl::string_view final_op) {
  if (final_op != "Id" && final_op != "Div") {
    return absl::InvalidArgumentError(absl::StrCat(
        "final_op must be one of {\"Id\", \"Div\"} but got ", final_op));
  }
  ReductionOps ops;
  VisitDType(kReduced, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ops.merge = MergeRow<T>(merge_op);
    if (final_op == "Div") ops.divide = &BinaryRowOf<Divide, T, T>;
  });
  if (ops.merge != nullptr) return ops;
  return absl::InvalidArgumentError(
      absl::StrCat("a collective cannot reduce tensors of type ", Name(dtype),
                   " by ", merge_op));
}

Tensor DivisorOf(DType dtype, int members) {
  Tensor divisor;
  VisitDType(kReduced, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    divisor = Tensor::Scalar(static_cast<T>(static_cast<Wide<T>>(members)));
  });
  return divisor;
}

}  // namespace leat::kernels
