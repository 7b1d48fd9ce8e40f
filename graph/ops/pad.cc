// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Pad, which puts zeros around a tensor.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::pad {
namespace {

// Returns the rank of the output, or kUnknown. The input has the same rank.
// `paddings` has the shape [rank, 2], so its first extent is this rank, too.
// Returns INVALID_ARGUMENT if the rank of the input and the first extent
// differ.
absl::StatusOr<int64_t> PaddedRank(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape paddings, context.WithRank(1, 2));
  LEAT_RETURN_IF_ERROR(MergeExtents(paddings.dim(1), 2).status());
  int64_t rank = paddings.dim(0);
  const PartialShape& input = context.input(0);
  if (input.rank_known()) {
    LEAT_ASSIGN_OR_RETURN(rank, MergeExtents(rank, input.rank()));
  }
  if (rank > Shape::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "paddings are for ", rank, " dimensions, but a tensor has at most ",
        Shape::kMaxRank));
  }
  return rank;
}

template <class T>
absl::StatusOr<Dims> PaddedExtents(const PartialShape& input, int rank,
                                   absl::Span<const T> paddings) {
  Dims dims;
  for (int i = 0; i < rank; ++i) {
    const auto row = 2 * static_cast<size_t>(i);
    int64_t extent = ExtentOf(input, i);
    for (const int64_t padding :
         {int64_t{paddings[row]}, int64_t{paddings[row + 1]}}) {
      if (padding < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("Paddings must be non-negative, got ", padding));
      }
      LEAT_ASSIGN_OR_RETURN(extent, AddExtents(extent, padding));
    }
    dims.push_back(extent);
  }
  return dims;
}

absl::Status PadShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t known_rank, PaddedRank(context));
  if (known_rank == PartialShape::kUnknown) return absl::OkStatus();
  const int rank = static_cast<int>(known_rank);
  const PartialShape& input = context.input(0);
  const Tensor* paddings = context.input_value(1);
  if (paddings == nullptr || paddings->num_elements() != 2 * known_rank) {
    context.set_output(0, PartialShape::UnknownOfRank(rank));
    return absl::OkStatus();
  }
  Dims dims;
  if (paddings->dtype() == DType::kInt32) {
    LEAT_ASSIGN_OR_RETURN(
        dims, PaddedExtents<int32_t>(input, rank, paddings->data<int32_t>()));
  } else if (paddings->dtype() == DType::kInt64) {
    LEAT_ASSIGN_OR_RETURN(
        dims, PaddedExtents<int64_t>(input, rank, paddings->data<int64_t>()));
  } else {
    return absl::InvalidArgumentError("paddings must be int32 or int64");
  }
  return SetOutput(dims, context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Pad",
       .doc = "Puts zeros around a tensor, as many before and after "
              "each axis as paddings says.",
       .inputs = {"input: T", "paddings: Tpaddings"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tpaddings: {int32, int64} = int32"},
       .shape = PadShape},
      {OnCpu({{"T", (kPlain + kStringOnly).dtypes()}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"paddings"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::pad
