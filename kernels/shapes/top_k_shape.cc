// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/top_k_shape.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"

namespace leat::kernels {
namespace {

// Returns the largest index that the integer dtype can hold.
int64_t LargestIndex(DType dtype) {
  int64_t largest = 0;
  VisitDType(kSignedInts, dtype, [&](auto tag) {
    largest = std::numeric_limits<typename decltype(tag)::type>::max();
  });
  return largest;
}

absl::StatusOr<int64_t> GetK(const Tensor& tensor) {
  if (!tensor.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "k must be scalar, got shape ", tensor.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(Dims values, GetIndices(tensor, "k"));
  return values[0];
}

}  // namespace

absl::StatusOr<TopKShape> GetTopKShape(const KernelContext& context) {
  const Tensor& input = context.input(0);
  TopKShape shape;
  LEAT_ASSIGN_OR_RETURN(shape.k, GetK(context.input(1)));
  if (shape.k < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Need k >= 0, got ", shape.k));
  }
  if (input.rank() < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input must be >= 1-D, got shape ", input.shape().DebugString()));
  }
  shape.columns = input.dim(input.rank() - 1);
  if (shape.columns < shape.k) {
    return absl::InvalidArgumentError(
        absl::StrCat("input must have at least k columns. Had ", shape.columns,
                     ", needed ", shape.k));
  }
  const int64_t limit = LargestIndex(context.node().output_types[1]);
  if (shape.columns > limit) {
    return absl::InvalidArgumentError(
        absl::StrCat("Second dimension of flattened input must be <= ", limit,
                     ", got ", shape.columns));
  }
  LEAT_ASSIGN_OR_RETURN(shape.output,
                        WithDim(input.shape(), input.rank() - 1, shape.k));
  if (shape.columns > 0) shape.rows = input.num_elements() / shape.columns;
  return shape;
}

}  // namespace leat::kernels
