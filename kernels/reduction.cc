// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/reduction.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

// Returns for every dimension whether it is reduced.
absl::StatusOr<std::vector<bool>> ReducedDims(int rank, const Tensor& axes) {
  LEAT_ASSIGN_OR_RETURN(const Dims indices,
                        GetIndices(axes, "reduction_indices"));
  std::vector<bool> reduced(rank, false);
  for (const int64_t index : indices) {
    if (index < -rank || index >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid reduction dimension (", index,
                       " for input with ", rank, " dimension(s)"));
    }
    const int64_t axis = index < 0 ? index + rank : index;
    if (reduced[axis]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Invalid reduction arguments: Axes contains duplicate dimension: ",
          axis));
    }
    reduced[axis] = true;
  }
  return reduced;
}

// Describes neighbouring dimensions that are all reduced or all kept, merged
// into one.
struct Run {
  int64_t extent;
  bool reduced;
};

// Makes a step for each reduced run. The last run comes first, so that later
// steps work on less data.
std::vector<ReductionStep> Steps(const std::vector<Run>& runs) {
  std::vector<ReductionStep> steps;
  int64_t inner = 1;
  for (size_t i = runs.size(); i-- > 0;) {
    if (!runs[i].reduced) {
      inner *= runs[i].extent;
      continue;
    }
    ReductionStep step;
    for (size_t k = 0; k < i; ++k) step.outer *= runs[k].extent;
    step.reduced = runs[i].extent;
    step.inner = inner;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

absl::StatusOr<ReductionPlan> PlanReduction(const Shape& input,
                                            const Tensor& axes,
                                            bool keep_dims) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<bool> reduced,
                        ReducedDims(input.rank(), axes));
  ReductionPlan plan;
  Dims dims;
  std::vector<Run> runs;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t extent = input.dim(i);
    if (!reduced[i]) {
      dims.push_back(extent);
    } else if (keep_dims) {
      dims.push_back(1);
    }
    if (extent == 1) continue;
    if (!runs.empty() && runs.back().reduced == reduced[i]) {
      runs.back().extent *= extent;
    } else {
      runs.push_back(Run{extent, reduced[i]});
    }
  }
  LEAT_ASSIGN_OR_RETURN(plan.output, Shape::Create(dims));
  // An empty input is handled here, because the product of its other extents
  // may not fit an int64.
  if (input.num_elements() == 0) {
    plan.count = 0;
    return plan;
  }
  for (const Run& run : runs) {
    if (run.reduced) plan.count *= run.extent;
  }
  plan.steps = Steps(runs);
  return plan;
}

}  // namespace leat::kernels
