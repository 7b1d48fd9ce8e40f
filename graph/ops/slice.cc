// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Slice, which takes a contiguous range along each axis of a tensor.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::slice {
namespace {

// Returns what is known of the indices in input `i`, one index per axis.
// Returns nothing if the number of indices is unknown.
std::optional<PartialValues> Indices(const InferenceContext& context, int i) {
  std::optional<PartialValues> known = PartialInput(context, i);
  if (known.has_value() && known->is_scalar) return std::nullopt;
  return known;
}

// Returns the extent of the slice along one axis. If the size is -1, the slice
// reaches to the end of the axis. As in TensorFlow, only the kernel checks that
// the slice lies inside of the input, because a branch that is never taken may
// hold a slice that does not fit.
absl::StatusOr<int64_t> SlicedExtent(int64_t extent,
                                     std::optional<int64_t> begin,
                                     std::optional<int64_t> size) {
  if (begin.has_value() && *begin < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected begin >= 0, got ", *begin));
  }
  if (!size.has_value()) return PartialShape::kUnknown;
  if (*size < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected size >= -1, got ", *size));
  }
  if (*size >= 0) return *size;
  if (extent == PartialShape::kUnknown || !begin.has_value() || *begin < 0) {
    return PartialShape::kUnknown;
  }
  if (*begin > extent) {
    return absl::InvalidArgumentError(
        absl::StrCat("Negative dimension size caused by subtracting ", *begin,
                     " from ", extent));
  }
  return extent - *begin;
}

absl::Status SliceShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape begin_shape, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape size_shape, context.WithRank(2, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices,
                        Merge(begin_shape, size_shape));
  const PartialShape& input = context.input(0);
  const std::optional<PartialValues> begin = Indices(context, 1);
  const std::optional<PartialValues> size = Indices(context, 2);
  int64_t rank = indices.dim(0);
  if (input.rank_known()) {
    LEAT_ASSIGN_OR_RETURN(rank, MergeExtents(rank, input.rank()));
  }
  if (rank == PartialShape::kUnknown) return absl::OkStatus();
  if (rank > Shape::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "begin and size are for ", rank,
        " dimensions, but a tensor has at most ", Shape::kMaxRank));
  }
  // In sizes that are only partly known, -1 stands for an unknown size. It does
  // not mean "up to the end".
  const bool sizes_known = context.input_value(2) != nullptr;
  Dims dims;
  for (int i = 0; i < static_cast<int>(rank); ++i) {
    const auto index = static_cast<size_t>(i);
    const auto at = [&](const std::optional<PartialValues>& from) {
      return from.has_value() && index < from->values.size()
                 ? from->values[index]
                 : std::nullopt;
    };
    std::optional<int64_t> wanted = at(size);
    if (!sizes_known && wanted == -1) wanted.reset();
    LEAT_ASSIGN_OR_RETURN(const int64_t extent,
                          SlicedExtent(ExtentOf(input, i), at(begin), wanted));
    dims.push_back(extent);
  }
  return SetOutput(dims, context);
}

// Passes the input on if the slice is the whole of it.
Work SliceWork(const WorkContext& context) {
  if (context.output(0).shape == context.input(0).shape) return {};
  return works::Take(context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Slice",
       .doc =
           "Takes a box of the given size out of a tensor, starting at begin.",
       .inputs = {"input: T", "begin: Index", "size: Index"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Index: {int32, int64}"},
       .shape = SliceShape,
       .work = SliceWork},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"begin", "size"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::slice
