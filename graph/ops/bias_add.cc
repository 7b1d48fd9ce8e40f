// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines BiasAdd and the op of its gradient.
#include <string>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::bias_add {
namespace {

// Returns the shape of input 0. Fails if its rank is below 2. If `nchw` is set,
// fails if the rank is below 3, because NCHW has a spatial axis.
absl::StatusOr<PartialShape> Images(const InferenceContext& context,
                                    bool nchw) {
  return context.WithRankAtLeast(0, nchw ? 3 : 2);
}

absl::StatusOr<bool> IsNchw(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        context.Attr<std::string>("data_format"));
  return format == "NCHW";
}

absl::Status BiasAddShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool nchw, IsNchw(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape value, Images(context, nchw));
  LEAT_ASSIGN_OR_RETURN(const PartialShape bias, context.WithRank(1, 1));
  if (!value.rank_known()) return absl::OkStatus();
  const int axis = nchw ? 1 : value.rank() - 1;
  LEAT_ASSIGN_OR_RETURN(const int64_t channels,
                        MergeExtents(value.dim(axis), bias.dim(0)));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, WithExtent(value, axis, channels));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status BiasAddGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool nchw, IsNchw(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape gradient, Images(context, nchw));
  const int64_t channels = ExtentOf(gradient, nchw ? 1 : -1);
  context.set_output(0, PartialShape{channels});
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "BiasAdd",
       .doc =
           "Adds to each channel of a tensor the value that bias has for it.",
       .inputs = {"value: T", "bias: T"},
       .outputs = {"output: T"},
       .attrs = {"T: numbertype", "data_format: {'NHWC', 'NCHW'} = 'NHWC'"},
       .shape = BiasAddShape},
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "BiasAddGrad",
       .doc = "Computes the gradient of BiasAdd with respect to bias: the sum "
              "over all axes but the channels.",
       .inputs = {"out_backprop: T"},
       .outputs = {"output: T"},
       .attrs = {"T: numbertype", "data_format: {'NHWC', 'NCHW'} = 'NHWC'"},
       .shape = BiasAddGradShape},
      {ExpensiveOnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::bias_add
