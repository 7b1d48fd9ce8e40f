// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Split and SplitV, which cut a tensor along an axis.
#include <optional>
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

namespace leat::ops::split {
namespace {

// Sets the shape of output i to the input's shape with extents[i] along the
// axis.
absl::Status SetPieces(InferenceContext& context, const PartialShape& input,
                       int axis, absl::Span<const int64_t> extents) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    LEAT_ASSIGN_OR_RETURN(
        PartialShape shape,
        WithExtent(input, axis, extents[static_cast<size_t>(i)]));
    context.set_output(i, std::move(shape));
  }
  return absl::OkStatus();
}

// Records that the outputs have the input's rank. Nothing else is known of
// them.
absl::Status SetRanks(InferenceContext& context, const PartialShape& input) {
  if (!input.rank_known()) return absl::OkStatus();
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, PartialShape::UnknownOfRank(input.rank()));
  }
  return absl::OkStatus();
}

absl::Status SplitShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> axis,
                        ScalarInput(context, 0));
  const PartialShape& input = context.input(1);
  if (!axis.has_value() || !input.rank_known()) {
    return SetRanks(context, input);
  }
  LEAT_ASSIGN_OR_RETURN(const int position, NormalizeAxis(*axis, input.rank()));
  int64_t extent = input.dim(position);
  const int count = context.num_outputs();
  if (count == 0) return absl::OkStatus();
  if (extent != PartialShape::kUnknown) {
    if (extent % count != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Dimension size must be evenly divisible by ", count,
                       " but is ", extent));
    }
    extent /= count;
  }
  return SetPieces(context, input, position,
                   std::vector<int64_t>(static_cast<size_t>(count), extent));
}

// Returns the extents of the pieces. One of `sizes` may be -1, which stands for
// the rest of `total`.
absl::StatusOr<std::vector<int64_t>> PieceExtents(const Dims& sizes,
                                                  int64_t total) {
  std::vector<int64_t> extents(sizes.begin(), sizes.end());
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& extent : extents) {
    if (extent == -1 && rest == nullptr) {
      rest = &extent;
    } else if (extent < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("size_splits may have -1 once, and otherwise only sizes "
                       "of at least 0, but has ",
                       extent));
    } else {
      LEAT_ASSIGN_OR_RETURN(sum, CheckedAdd(sum, extent));
    }
  }
  if (total == PartialShape::kUnknown) return extents;
  if (rest != nullptr ? sum > total : sum != total) {
    return absl::InvalidArgumentError(absl::StrCat(
        "size_splits add up to ", sum, " but the input's extent is ", total));
  }
  if (rest != nullptr) *rest = total - sum;
  return extents;
}

absl::Status SplitVShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape sizes_shape, context.WithRank(1, 1));
  LEAT_RETURN_IF_ERROR(
      MergeExtents(sizes_shape.dim(0), context.num_outputs()).status());
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> axis,
                        ScalarInput(context, 2));
  const PartialShape& input = context.input(0);
  if (!axis.has_value() || !input.rank_known()) {
    return SetRanks(context, input);
  }
  LEAT_ASSIGN_OR_RETURN(const int position, NormalizeAxis(*axis, input.rank()));
  std::vector<int64_t> extents(static_cast<size_t>(context.num_outputs()),
                               PartialShape::kUnknown);
  const Tensor* sizes = context.input_value(1);
  if (sizes != nullptr) {
    LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(*sizes, "size_splits"));
    if (values.size() != extents.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("size_splits has ", values.size(),
                       " values, but there are ", extents.size(), " outputs"));
    }
    LEAT_ASSIGN_OR_RETURN(extents, PieceExtents(values, input.dim(position)));
  } else if (extents.size() == 1) {
    extents[0] = input.dim(position);
  }
  return SetPieces(context, input, position, extents);
}

// Parts along the first axis share the bytes of input `kInput`.
template <int kInput>
Work SplitWork(const WorkContext& context) {
  const auto input = context.input(kInput).shape.dims();
  const auto part = context.output(0).shape.dims();
  if (!input.empty() && !part.empty() && part.subspan(1) == input.subspan(1)) {
    return {};
  }
  return works::Move(context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Split",
       .doc = "Splits a tensor into num_split equal parts along an axis.",
       .inputs = {"split_dim: int32", "value: T"},
       .outputs = {"output: num_split * T"},
       .attrs = {"num_split: int", "T: type"},
       .shape = SplitShape,
       .work = SplitWork<1>},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"split_dim"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "SplitV",
       .doc = "Splits a tensor into parts of the given sizes along an axis.",
       .inputs = {"value: T", "size_splits: Tlen", "split_dim: int32"},
       .outputs = {"output: num_split * T"},
       .attrs = {"num_split: int", "T: type",
                 "Tlen: {int8, int32, int64} = int64"},
       .shape = SplitVShape,
       .work = SplitWork<0>},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                    {"size_splits", "split_dim"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::split
