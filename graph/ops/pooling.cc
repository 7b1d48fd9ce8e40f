// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines MaxPool, AvgPool and the ops of their gradients.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/window.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::pooling {
namespace {

using Ints = std::vector<int64_t>;

// Holds the attrs of a pooling op. In the format NCHW_VECT_C, each index along
// the channel axis stands for 4 channels. A fifth axis holds these 4 channels.
struct PoolAttrs {
  bool vectorized = false;
  ImageAxes axes = {};
  Window windows[4] = {};  // per axis, in the order of ksize
};

absl::Status SetExplicitPadding(const InferenceContext& context,
                                PoolAttrs& attrs) {
  LEAT_ASSIGN_OR_RETURN(const Ints paddings,
                        context.attrs().GetOr<Ints>("explicit_paddings", {}));
  if (attrs.windows[0].padding != Padding::kExplicit) {
    if (paddings.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "explicit_paddings must be empty if the padding is not EXPLICIT");
  }
  if (paddings.size() != 8) {
    return absl::InvalidArgumentError(absl::StrCat(
        "explicit_paddings must have 8 values, got ", paddings.size()));
  }
  for (size_t axis = 0; axis < 4; ++axis) {
    Window& window = attrs.windows[axis];
    window.before = paddings[2 * axis];
    window.after = paddings[2 * axis + 1];
    const bool spatial = static_cast<int>(axis) == attrs.axes.height ||
                         static_cast<int>(axis) == attrs.axes.width;
    if (window.before < 0 || window.after < 0 ||
        (!spatial && (window.before != 0 || window.after != 0))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "explicit_paddings must not be negative, and must be 0 outside of "
          "height and width, but are ",
          window.before, " and ", window.after, " in axis ", axis));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<PoolAttrs> ReadAttrs(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        context.Attr<std::string>("data_format"));
  LEAT_ASSIGN_OR_RETURN(const std::string padding_name,
                        context.Attr<std::string>("padding"));
  LEAT_ASSIGN_OR_RETURN(const Ints ksize, context.Attr<Ints>("ksize"));
  LEAT_ASSIGN_OR_RETURN(const Ints strides, context.Attr<Ints>("strides"));
  LEAT_ASSIGN_OR_RETURN(const Padding padding, ParsePadding(padding_name));
  if (ksize.size() != 4 || strides.size() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("ksize and strides must have 4 values, got ", ksize.size(),
                     " and ", strides.size()));
  }
  PoolAttrs attrs;
  attrs.vectorized = format == "NCHW_VECT_C";
  LEAT_ASSIGN_OR_RETURN(attrs.axes,
                        ParseImageAxes(attrs.vectorized ? "NCHW" : format));
  for (size_t i = 0; i < 4; ++i) {
    if (ksize[i] < 1 || strides[i] < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("ksize and strides must be positive, got ", ksize[i],
                       " and ", strides[i], " in axis ", i));
    }
    attrs.windows[i] = {
        .size = ksize[i], .stride = strides[i], .padding = padding};
  }
  LEAT_RETURN_IF_ERROR(SetExplicitPadding(context, attrs));
  return attrs;
}

// Sets the output's shape. If `pools_channels` is set, windows may extend over
// channels, too.
absl::Status PoolShape(InferenceContext& context, bool pools_channels) {
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadAttrs(context));
  const int rank = attrs.vectorized ? 5 : 4;
  LEAT_ASSIGN_OR_RETURN(const PartialShape input, context.WithRank(0, rank));
  Dims dims(input.dims().begin(), input.dims().end());
  for (int axis = 0; axis < 4; ++axis) {
    const auto index = static_cast<size_t>(axis);
    const bool spatial = axis == attrs.axes.height || axis == attrs.axes.width;
    if (!spatial && !(pools_channels && axis == attrs.axes.channel)) continue;
    // SetExplicitPadding has checked that there is no padding along the
    // channels.
    Window window = attrs.windows[index];
    if (!spatial && window.padding == Padding::kExplicit) {
      window.padding = Padding::kValid;
    }
    LEAT_ASSIGN_OR_RETURN(dims[index], WindowedExtent(dims[index], window));
  }
  return SetOutput(dims, context);
}

absl::Status MaxPoolShape(InferenceContext& context) {
  return PoolShape(context, true);
}

absl::Status AvgPoolShape(InferenceContext& context) {
  return PoolShape(context, false);
}

absl::Status MaxPoolGradShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(ReadAttrs(context).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(0, 4));
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 4).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 4).status());
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status AvgPoolGradShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(ReadAttrs(context).status());
  LEAT_ASSIGN_OR_RETURN(const PartialShape described, ShapeInput(context, 0));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        Merge(described, PartialShape::UnknownOfRank(4)));
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 4).status());
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

void AddMaxPool(OpRegistry& registry) {
  registry.Add(
      {.name = "MaxPool",
       .doc = "Returns the maximum of each window of images.",
       .inputs = {"input: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, bfloat16, float, double, int32, int64, uint8, "
                 "int16, int8, uint16, qint8} = float",
                 "ksize: list(int) >= 4", "strides: list(int) >= 4",
                 "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                 "explicit_paddings: list(int) = []",
                 "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
       .shape = MaxPoolShape},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});

  const OpSpec max_pool_grad = {
      .name = "MaxPoolGrad",
      .doc = "Computes the gradient of MaxPool with respect to its input.",
      .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
      .outputs = {"output: T"},
      .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4",
                "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                "explicit_paddings: list(int) = []",
                "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                "T: realnumbertype = float"},
      .shape = MaxPoolGradShape};
  registry.Add(max_pool_grad, {ExpensiveOnCpu({{"T", kNumbers.dtypes()}}),
                               OnGpu({{"T", kFloats.dtypes()}})});

  // Computes ReluGrad(MaxPoolGrad(orig_input, orig_output, grad), orig_input).
  // The fusion pass makes this op.
  OpSpec max_pool_relu_grad = max_pool_grad;
  max_pool_relu_grad.name = "_LeatMaxPoolReluGrad";
  max_pool_relu_grad.doc =
      "Computes MaxPoolGrad and ReluGrad at once, for a MaxPool whose input a "
      "Relu computes.";
  registry.Add(std::move(max_pool_relu_grad),
               {ExpensiveOnCpu({{"T", kFloat32And64.dtypes()}}),
                OnGpu({{"T", kFloat32And64.dtypes()}})});
}

void AddAvgPool(OpRegistry& registry) {
  registry.Add({.name = "AvgPool",
                .doc = "Returns the average of each window of images.",
                .inputs = {"value: T"},
                .outputs = {"output: T"},
                .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4",
                          "padding: {'SAME', 'VALID'}",
                          "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                          "T: {half, bfloat16, float, double}"},
                .shape = AvgPoolShape},
               {ExpensiveOnCpu({{"T", kFloats.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "AvgPoolGrad",
       .doc = "Computes the gradient of AvgPool with respect to its input.",
       .inputs = {"orig_input_shape: int32", "grad: T"},
       .outputs = {"output: T"},
       .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4",
                 "padding: {'SAME', 'VALID'}",
                 "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                 "T: {half, bfloat16, float, double}"},
       .shape = AvgPoolGradShape},
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloats.dtypes()}}), {"orig_input_shape"})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddMaxPool(registry);
  AddAvgPool(registry);
}

}  // namespace leat::ops::pooling
