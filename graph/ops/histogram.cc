// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that count values or find their bins: Bincount,
// DenseBincount, Bucketize and HistogramFixedWidth.
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::histogram {
namespace {

constexpr auto kTypes = kIndices + kFloat32And64;

absl::Status BincountShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t size, ExtentInput(context, 1));
  return SetOutput({size}, context);
}

// The rows of a matrix are counted one by one.
absl::Status DenseBincountShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t size, ExtentInput(context, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, 1));
  if (!input.rank_known()) return absl::OkStatus();
  if (input.rank() > 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shape must be at most rank 2 but is rank ", input.rank()));
  }
  if (input.rank() == 1) return SetOutput({size}, context);
  return SetOutput({input.dim(0), size}, context);
}

absl::Status HistogramShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape range, context.WithRank(1, 1));
  LEAT_RETURN_IF_ERROR(MergeExtents(range.dim(0), 2).status());
  LEAT_ASSIGN_OR_RETURN(const int64_t bins, ExtentInput(context, 2));
  return SetOutput({bins}, context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Bincount",
       .doc = "Counts how often each integer from 0 to size - 1 occurs "
              "in arr, or sums weights.",
       .inputs = {"arr: int32", "size: int32", "weights: T"},
       .outputs = {"bins: T"},
       .attrs = {"T: {int32, int64, float, double}"},
       .shape = BincountShape},
      {OnCpu({{"T", kTypes.dtypes()}})});

  registry.Add(
      {.name = "DenseBincount",
       .doc = "Counts how often each integer from 0 to size - 1 occurs in each "
              "row of the input.",
       .inputs = {"input: Tidx", "size: Tidx", "weights: T"},
       .outputs = {"output: T"},
       .attrs = {"Tidx: {int32, int64}", "T: {int32, int64, float, double}",
                 "binary_output: bool = false"},
       .shape = DenseBincountShape},
      {OnCpu({{"T", kTypes.dtypes()}})});

  registry.Add(
      {.name = "Bucketize",
       .doc = "Returns for each element how many of the sorted "
              "boundaries it does not lie below.",
       .inputs = {"input: T"},
       .outputs = {"output: int32"},
       .attrs = {"T: {int32, int64, float, double}", "boundaries: list(float)"},
       .shape = shapes::Unchanged},
      {OnCpu({{"T", kTypes.dtypes()}})});

  registry.Add({.name = "HistogramFixedWidth",
                .doc = "Counts the values in each of nbins bins of equal width "
                       "in a range.",
                .inputs = {"values: T", "value_range: T", "nbins: int32"},
                .outputs = {"out: dtype"},
                .attrs = {"T: {int32, int64, float, double}",
                          "dtype: {int32, int64} = int32"},
                .shape = HistogramShape},
               {OnCpu({{"T", kTypes.dtypes()}})});
}

}  // namespace leat::ops::histogram
