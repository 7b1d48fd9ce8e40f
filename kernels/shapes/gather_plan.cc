// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/gather_plan.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

// Returns an error unless the first `batch_dims` dimensions are the same.
absl::Status CheckBatch(const Shape& params, const Shape& indices, int64_t axis,
                        int64_t batch_dims) {
  if (params.rank() == 0) {
    return absl::InvalidArgumentError("params must be at least 1 dimensional");
  }
  if (batch_dims > indices.rank() || batch_dims >= params.rank() ||
      batch_dims > axis) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batch_dims (", batch_dims, ") must be less than rank(params) (",
        params.rank(), ") and at most axis (", axis, ")."));
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (params.dim(i) == indices.dim(i)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "params.shape[", i, "]: ", params.dim(i),
        " should be equal to indices.shape[", i, "]: ", indices.dim(i)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GatherPlan> PlanGather(const Shape& params, const Shape& indices,
                                      int64_t axis, int64_t batch_dims) {
  LEAT_RETURN_IF_ERROR(CheckBatch(params, indices, axis, batch_dims));
  GatherPlan plan;
  Dims dims;
  const auto append = [&](int64_t extent, int64_t& product) -> absl::Status {
    dims.push_back(extent);
    LEAT_ASSIGN_OR_RETURN(product, CheckedMultiply(product, extent));
    return absl::OkStatus();
  };
  for (int i = 0; i < axis; ++i) {
    LEAT_RETURN_IF_ERROR(
        append(params.dim(i), i < batch_dims ? plan.batch : plan.outer));
  }
  for (int i = static_cast<int>(batch_dims); i < indices.rank(); ++i) {
    LEAT_RETURN_IF_ERROR(append(indices.dim(i), plan.count));
  }
  plan.limit = params.dim(static_cast<int>(axis));
  for (int i = static_cast<int>(axis) + 1; i < params.rank(); ++i) {
    LEAT_RETURN_IF_ERROR(append(params.dim(i), plan.inner));
  }
  LEAT_ASSIGN_OR_RETURN(plan.output, Shape::Create(dims));
  return plan;
}

absl::StatusOr<GatherPlan> PlanGatherV2(const KernelContext& context,
                                        int64_t batch_dims) {
  const Shape& params = context.input(0).shape();
  const Shape& indices = context.input(1).shape();
  if (context.input(2).rank() != 0) {
    return absl::InvalidArgumentError("axis must be scalar");
  }
  LEAT_ASSIGN_OR_RETURN(const Dims axes, GetIndices(context.input(2), "axis"));
  const int64_t rank = params.rank();
  if (axes[0] < -rank || axes[0] >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected axis in the range [", -rank, ", ", rank,
                     "), but got ", axes[0]));
  }
  const int64_t ranks = indices.rank();
  if (batch_dims < -ranks || batch_dims > ranks) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected batch_dims in the range [", -ranks, ", ", ranks,
                     "], but got ", batch_dims));
  }
  return PlanGather(params, indices, axes[0] < 0 ? axes[0] + rank : axes[0],
                    batch_dims < 0 ? batch_dims + ranks : batch_dims);
}

absl::StatusOr<GatherPlan> PlanResourceGather(const Shape& params,
                                              const Shape& indices,
                                              int64_t batch_dims) {
  if (batch_dims > indices.rank() || batch_dims >= params.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("params must be at least ", batch_dims + 1,
                     " dimensional and indices at least ", batch_dims, ": ",
                     params.DebugString(), " vs. ", indices.DebugString()));
  }
  return PlanGather(params, indices, batch_dims, batch_dims);
}

absl::StatusOr<GatherNdPlan> PlanGatherNd(const Shape& params,
                                          const Shape& indices) {
  if (params.rank() < 1) {
    return absl::InvalidArgumentError("params must be at least a vector");
  }
  if (indices.rank() < 1) {
    return absl::InvalidArgumentError("indices must be at least a vector");
  }
  GatherNdPlan plan;
  plan.depth = indices.dim(indices.rank() - 1);
  if (plan.depth > params.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "index innermost dimension length must be <= params rank; saw: ",
        plan.depth, " vs. ", params.rank()));
  }
  Dims dims(indices.dims().begin(), indices.dims().end() - 1);
  LEAT_ASSIGN_OR_RETURN(const Shape outer, Shape::Create(dims));
  LEAT_ASSIGN_OR_RETURN(const Shape inner,
                        Shape::Create(Dims(params.dims().begin() + plan.depth,
                                           params.dims().end())));
  dims.insert(dims.end(), inner.dims().begin(), inner.dims().end());
  LEAT_ASSIGN_OR_RETURN(plan.output, Shape::Create(dims));
  if (params.num_elements() == 0 && outer.num_elements() > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Requested more than 0 entries, but params is empty.  Params shape: ",
        params.DebugString()));
  }
  plan.rows = outer.num_elements();
  plan.inner = inner.num_elements();
  return plan;
}

}  // namespace leat::kernels
