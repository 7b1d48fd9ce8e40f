// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Pad and PadV2, which put zeros or another value around a tensor, and
// MirrorPad, which puts reflections of the tensor there, with its gradient.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/paddings.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

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

// Returns the extent of the output along an axis, given the extent of the input
// and the two paddings of the axis.
using ResizedExtent = absl::StatusOr<int64_t> (*)(int64_t extent,
                                                  int64_t before,
                                                  int64_t after);

absl::StatusOr<int64_t> PaddedExtent(int64_t extent, int64_t before,
                                     int64_t after) {
  LEAT_ASSIGN_OR_RETURN(const int64_t padding, AddExtents(before, after));
  return AddExtents(extent, padding);
}

// Returns what is left of `extent` without the paddings.
absl::StatusOr<int64_t> UnpaddedExtent(int64_t extent, int64_t before,
                                       int64_t after) {
  LEAT_ASSIGN_OR_RETURN(const int64_t padding, AddExtents(before, after));
  if (extent == PartialShape::kUnknown) return extent;
  if (padding >= extent) {
    return absl::InvalidArgumentError(
        absl::StrCat("Paddings ", before, " and ", after,
                     " leave nothing of a dimension of extent ", extent));
  }
  return extent - padding;
}

template <ResizedExtent resize>
absl::Status ResizedShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t known_rank, PaddedRank(context));
  if (known_rank == PartialShape::kUnknown) return absl::OkStatus();
  const int rank = static_cast<int>(known_rank);
  LEAT_ASSIGN_OR_RETURN(const std::optional<Dims> paddings,
                        KnownPaddings(context, 1, known_rank, "Paddings"));
  if (!paddings.has_value()) {
    context.set_output(0, PartialShape::UnknownOfRank(rank));
    return absl::OkStatus();
  }
  Dims dims;
  for (int i = 0; i < rank; ++i) {
    const auto row = 2 * static_cast<size_t>(i);
    LEAT_ASSIGN_OR_RETURN(const int64_t extent,
                          resize(ExtentOf(context.input(0), i),
                                 (*paddings)[row], (*paddings)[row + 1]));
    dims.push_back(extent);
  }
  return SetOutput(dims, context);
}

absl::Status PadShape(InferenceContext& context) {
  return ResizedShape<PaddedExtent>(context);
}

absl::Status PadV2Shape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  return PadShape(context);
}

absl::Status MirrorPadGradShape(InferenceContext& context) {
  return ResizedShape<UnpaddedExtent>(context);
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
       .shape = PadShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"paddings"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "PadV2",
       .doc = "Puts constant_values around a tensor, as often before and after "
              "each axis as paddings says.",
       .inputs = {"input: T", "paddings: Tpaddings", "constant_values: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tpaddings: {int32, int64} = int32"},
       .shape = PadV2Shape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                    {"paddings", "constant_values"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "MirrorPad",
       .doc = "Puts reflections of a tensor around it, with or without "
              "its border, as mode says.",
       .inputs = {"input: T", "paddings: Tpaddings"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tpaddings: {int32, int64} = int32",
                 "mode: {'REFLECT', 'SYMMETRIC'}"},
       .shape = PadShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}})});

  registry.Add({.name = "MirrorPadGrad",
                .doc = "Computes the gradient of MirrorPad: adds what was put "
                       "around a tensor to where it came from.",
                .inputs = {"input: T", "paddings: Tpaddings"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "Tpaddings: {int32, int64} = int32",
                          "mode: {'REFLECT', 'SYMMETRIC'}"},
                .shape = MirrorPadGradShape},
               {OnCpu({{"T", kNumbersAndComplexes.dtypes()}})});
}

}  // namespace leat::ops::pad
