// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Transpose and InvertPermutation.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::transpose {
namespace {

absl::Status TransposeShape(InferenceContext& context) {
  const PartialShape& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const PartialShape perm_shape, context.WithRank(1, 1));
  int64_t rank = perm_shape.dim(0);
  if (input.rank_known()) {
    LEAT_ASSIGN_OR_RETURN(rank, MergeExtents(rank, input.rank()));
  }
  if (rank == PartialShape::kUnknown) return absl::OkStatus();
  if (rank > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("perm is for ", rank, " axes, but a tensor has at most ",
                     Shape::kMaxRank));
  }
  PartialShape output = PartialShape::UnknownOfRank(static_cast<int>(rank));
  const Tensor* perm = context.input_value(1);
  if (perm != nullptr) {
    LEAT_ASSIGN_OR_RETURN(const Dims axes, GetIndices(*perm, "perm"));
    std::vector<bool> seen(axes.size(), false);
    Dims dims;
    for (const int64_t value : axes) {
      LEAT_ASSIGN_OR_RETURN(const int axis,
                            NormalizeAxis(value, static_cast<int>(rank)));
      if (seen[static_cast<size_t>(axis)]) {
        return absl::InvalidArgumentError(
            absl::StrCat("perm names axis ", axis, " twice"));
      }
      seen[static_cast<size_t>(axis)] = true;
      dims.push_back(ExtentOf(input, axis));
    }
    LEAT_ASSIGN_OR_RETURN(output, PartialShape::Create(dims));
  } else if (rank <= 1 && input.rank_known()) {
    output = input;
  }
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status InvertPermutationShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(0, 1));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Transpose",
                .doc = "Permutes the axes of x as perm says.",
                .inputs = {"x: T", "perm: Tperm"},
                .outputs = {"y: T"},
                .attrs = {"T: type", "Tperm: {int32, int64} = int32"},
                .shape = TransposeShape,
                .work = works::Move},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"perm"}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "ConjugateTranspose",
                .doc = "Permutes the axes of x as perm says, and conjugates "
                       "complex elements.",
                .inputs = {"x: T", "perm: Tperm"},
                .outputs = {"y: T"},
                .attrs = {"T: type", "Tperm: {int32, int64} = int32"},
                .shape = TransposeShape,
                .work = works::Move},
               {OnCpu({{"T", WithStoredTypes(kMovable)}})});

  registry.Add({.name = "InvertPermutation",
                .doc = "Inverts a permutation of the numbers from 0 on.",
                .inputs = {"x: T"},
                .outputs = {"y: T"},
                .attrs = {"T: {int32, int64} = int32"},
                .shape = InvertPermutationShape},
               {OnCpu(), HostOnGpu()});
}

}  // namespace leat::ops::transpose
