// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines MaxPool, AvgPool, MaxPool3D, AvgPool3D and the ops of their
// gradients.
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/window.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::pooling {
namespace {

using Ints = std::vector<int64_t>;

// Lists the types of the volumes that are pooled.
constexpr DTypeList<bfloat16, float> kPooled3D;

// Holds the attrs of a pooling op. In the format NCHW_VECT_C, each index along
// the channel axis stands for 4 channels. A fifth axis holds these 4 channels.
struct PoolAttrs {
  bool vectorized = false;
  ImageAxes axes = {};
  Window windows[5] = {};  // per axis, in the order of ksize

  bool IsSpatial(int axis) const {
    return axis == axes.depth || axis == axes.height || axis == axes.width;
  }
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
  if (paddings.size() != 8 || attrs.axes.has_depth()) {
    return absl::InvalidArgumentError(
        absl::StrCat("explicit_paddings must have 8 values, for images, got ",
                     paddings.size()));
  }
  for (size_t axis = 0; axis < 4; ++axis) {
    Window& window = attrs.windows[axis];
    window.before = paddings[2 * axis];
    window.after = paddings[2 * axis + 1];
    const bool spatial = attrs.IsSpatial(static_cast<int>(axis));
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

// Reads the attrs, with windows of these sizes and strides, one per axis.
absl::StatusOr<PoolAttrs> ReadAttrs(const InferenceContext& context,
                                    const Ints& ksize, const Ints& strides) {
  LEAT_ASSIGN_OR_RETURN(
      const std::string format,
      context.attrs().GetOr<std::string>("data_format", "NHWC"));
  LEAT_ASSIGN_OR_RETURN(const std::string padding_name,
                        context.Attr<std::string>("padding"));
  LEAT_ASSIGN_OR_RETURN(const Padding padding, ParsePadding(padding_name));
  PoolAttrs attrs;
  attrs.vectorized = format == "NCHW_VECT_C";
  LEAT_ASSIGN_OR_RETURN(attrs.axes,
                        ParseImageAxes(attrs.vectorized ? "NCHW" : format));
  const auto rank = static_cast<size_t>(attrs.axes.rank());
  if (ksize.size() != rank || strides.size() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("ksize and strides must have ", rank, " values, got ",
                     ksize.size(), " and ", strides.size()));
  }
  for (size_t i = 0; i < rank; ++i) {
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

absl::StatusOr<PoolAttrs> ReadAttrs(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Ints ksize, context.Attr<Ints>("ksize"));
  LEAT_ASSIGN_OR_RETURN(const Ints strides, context.Attr<Ints>("strides"));
  return ReadAttrs(context, ksize, strides);
}

// Returns the shape of the maxima or averages of input 0. If `pools_channels`
// is set, windows may extend over channels, too.
absl::StatusOr<PartialShape> PooledShape(const InferenceContext& context,
                                         const PoolAttrs& attrs,
                                         bool pools_channels) {
  const int rank = attrs.vectorized ? 5 : attrs.axes.rank();
  LEAT_ASSIGN_OR_RETURN(const PartialShape input, context.WithRank(0, rank));
  Dims dims(input.dims().begin(), input.dims().end());
  for (int axis = 0; axis < attrs.axes.rank(); ++axis) {
    const auto index = static_cast<size_t>(axis);
    const bool spatial = attrs.IsSpatial(axis);
    if (!spatial && !(pools_channels && axis == attrs.axes.channel)) continue;
    // SetExplicitPadding has checked that there is no padding along the
    // channels.
    Window window = attrs.windows[index];
    if (!spatial && window.padding == Padding::kExplicit) {
      window.padding = Padding::kValid;
    }
    LEAT_ASSIGN_OR_RETURN(dims[index], WindowedExtent(dims[index], window));
  }
  return PartialShape::Create(dims);
}

// MaxPoolWithArgmax has a second output of the same shape.
absl::Status MaxPoolShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadAttrs(context));
  LEAT_ASSIGN_OR_RETURN(PartialShape pooled, PooledShape(context, attrs, true));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, pooled);
  return absl::OkStatus();
}

// The inputs 1 and 2 are ksize and strides.
absl::Status MaxPoolV2Shape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 4).status());
  Ints windows[2];
  for (const int i : {0, 1}) {
    LEAT_RETURN_IF_ERROR(context.WithRank(1 + i, 1).status());
    const Tensor* value = context.input_value(1 + i);
    if (value == nullptr) return absl::OkStatus();  // nothing is known
    LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(*value, "a window"));
    windows[i].assign(values.begin(), values.end());
  }
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs,
                        ReadAttrs(context, windows[0], windows[1]));
  LEAT_ASSIGN_OR_RETURN(PartialShape pooled, PooledShape(context, attrs, true));
  context.set_output(0, std::move(pooled));
  return absl::OkStatus();
}

absl::Status MaxPoolGradGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadAttrs(context));
  LEAT_ASSIGN_OR_RETURN(
      PartialShape pooled,
      PooledShape(context, attrs, /*pools_channels=*/!attrs.axes.has_depth()));
  LEAT_RETURN_IF_ERROR(Merge(context.input(0), context.input(2)).status());
  LEAT_RETURN_IF_ERROR(Merge(context.input(1), pooled).status());
  context.set_output(0, std::move(pooled));
  return absl::OkStatus();
}

// Is for AvgPool and for the pooling of volumes, in which no window may extend
// over channels.
absl::Status AvgPoolShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadAttrs(context));
  LEAT_ASSIGN_OR_RETURN(PartialShape pooled,
                        PooledShape(context, attrs, false));
  context.set_output(0, std::move(pooled));
  return absl::OkStatus();
}

absl::Status MaxPoolGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadAttrs(context));
  const int rank = attrs.axes.rank();
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(0, rank));
  LEAT_RETURN_IF_ERROR(context.WithRank(1, rank).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, rank).status());
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// The inputs 3 and 4 are ksize and strides, which say nothing of the shape.
absl::Status MaxPoolGradV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(0, 4));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status AvgPoolGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadAttrs(context));
  const int rank = attrs.axes.rank();
  LEAT_ASSIGN_OR_RETURN(const PartialShape described, ShapeInput(context, 0));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        Merge(described, PartialShape::UnknownOfRank(rank)));
  LEAT_RETURN_IF_ERROR(context.WithRank(1, rank).status());
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Returns how many elements of `images` a window has. `pooled` has an element
// for each window.
double WindowElementsOf(const WorkContext& context, const TensorSpec& images,
                        const TensorSpec& pooled) {
  const auto ksize = context.attrs().Get<Ints>("ksize");
  if (ksize.ok()) return WindowElements(*ksize, images.shape.dims());
  // The windows are known only in the step. They probably do not overlap.
  return images.num_elements() / std::max(pooled.num_elements(), 1.0);
}

// Returns the work of `flops` operations for each element of each window.
Work WindowsWork(const WorkContext& context, double flops,
                 const TensorSpec& images, const TensorSpec& pooled) {
  Work work = works::Move(context);
  work.flops =
      flops * WindowElementsOf(context, images, pooled) * pooled.num_elements();
  return work;
}

Work PoolWork(const WorkContext& context) {
  return WindowsWork(context, 1, context.input(0), context.output(0));
}

// Looks for the maximum of each window, and adds the gradient there.
Work MaxPoolGradWork(const WorkContext& context) {
  return WindowsWork(context, 2, context.input(0), context.input(2));
}

Work AvgPoolGradWork(const WorkContext& context) {
  return WindowsWork(context, 2, context.output(0), context.input(1));
}

// Reads only the shape of input 0.
Work GradWithArgmaxWork(const WorkContext& context) {
  Work work = works::Move(context);
  work.bytes_read -= context.input(0).num_bytes();
  work.flops = context.input(1).num_elements();
  return work;
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
       .shape = MaxPoolShape,
       .work = PoolWork},
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
      .shape = MaxPoolGradShape,
      .work = MaxPoolGradWork};
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

void AddMaxPoolV2(OpRegistry& registry) {
  registry.Add(
      {.name = "MaxPoolV2",
       .doc = "Returns the maximum of each window of images, for windows known "
              "only in the step.",
       .inputs = {"input: T", "ksize: int32", "strides: int32"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, bfloat16, float, double, int32, int64, uint8, "
                 "int16, int8, uint16, qint8} = float",
                 "padding: {'SAME', 'VALID'}",
                 "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
       .shape = MaxPoolV2Shape,
       .work = PoolWork},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add(
      {.name = "MaxPoolGradV2",
       .doc = "Computes the gradient of MaxPoolV2 with respect to its input.",
       .inputs = {"orig_input: T", "orig_output: T", "grad: T", "ksize: int32",
                  "strides: int32"},
       .outputs = {"output: T"},
       .attrs = {"padding: {'SAME', 'VALID'}",
                 "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                 "T: realnumbertype = float"},
       .shape = MaxPoolGradV2Shape,
       .work = MaxPoolGradWork},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});
}

void AddMaxPoolWithArgmaxAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "MaxPoolWithArgmax",
       .doc = "Returns the maximum of each window of images, and its index.",
       .inputs = {"input: T"},
       .outputs = {"output: T", "argmax: Targmax"},
       .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4",
                 "Targmax: {int32, int64} = int64",
                 "padding: {'SAME', 'VALID'}",
                 "include_batch_in_index: bool = false", "T: realnumbertype"},
       .shape = MaxPoolShape,
       .work = PoolWork},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add(
      {.name = "MaxPoolGradWithArgmax",
       .doc =
           "Computes the gradient of MaxPoolWithArgmax from the indices that "
           "it has returned.",
       .inputs = {"input: T", "grad: T", "argmax: Targmax"},
       .outputs = {"output: T"},
       .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4",
                 "padding: {'SAME', 'VALID'}",
                 "include_batch_in_index: bool = false",
                 "Targmax: {int32, int64}", "T: realnumbertype"},
       .shape = MaxPoolGradV2Shape,
       .work = GradWithArgmaxWork},
      {OnCpu({{"T", kNumbers.dtypes()}, {"Targmax", {DType::kInt64}}})});

  registry.Add(
      {.name = "MaxPoolGradGrad",
       .doc = "Computes the gradient of MaxPoolGrad with respect to its input "
              "grad.",
       .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
       .outputs = {"output: T"},
       .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4",
                 "padding: {'SAME', 'VALID'}",
                 "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "T: realnumbertype"},
       .shape = MaxPoolGradGradShape,
       .work = PoolWork},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});
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
                .shape = AvgPoolShape,
                .work = PoolWork},
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
       .shape = AvgPoolGradShape,
       .work = AvgPoolGradWork},
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloats.dtypes()}}), {"orig_input_shape"})});
}

OpSpec Pool3D(absl::string_view name, absl::string_view doc,
              std::vector<std::string> inputs, std::string types,
              ShapeFunction shape, WorkFunction work) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = std::move(inputs);
  spec.outputs = {"output: T"};
  spec.attrs = {"ksize: list(int) >= 5", "strides: list(int) >= 5",
                "padding: {'SAME', 'VALID'}",
                "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'", std::move(types)};
  spec.shape = shape;
  spec.work = work;
  return spec;
}

void AddMaxPool3D(OpRegistry& registry) {
  const KernelSignature kernel = ExpensiveOnCpu({{"T", kPooled3D.dtypes()}});
  registry.Add(
      Pool3D("MaxPool3D", "Returns the maximum of each window of volumes.",
             {"input: T"}, "T: {half, bfloat16, float}", AvgPoolShape,
             PoolWork),
      {kernel});
  OpSpec grad = Pool3D(
      "MaxPool3DGrad",
      "Computes the gradient of MaxPool3D with respect to its input.",
      {"orig_input: TInput", "orig_output: TInput", "grad: T"},
      "T: {half, bfloat16, float} = float", MaxPoolGradShape, MaxPoolGradWork);
  grad.attrs.push_back("TInput: {half, bfloat16, float} = float");
  std::vector<KernelSignature> of_one_type;
  for (const DType type : kPooled3D.dtypes()) {
    of_one_type.push_back(ExpensiveOnCpu({{"T", {type}}, {"TInput", {type}}}));
  }
  registry.Add(std::move(grad), std::move(of_one_type));
  registry.Add(Pool3D("MaxPool3DGradGrad",
                      "Computes the gradient of MaxPool3DGrad with respect to "
                      "its input grad.",
                      {"orig_input: T", "orig_output: T", "grad: T"},
                      "T: realnumbertype", MaxPoolGradGradShape, PoolWork),
               {kernel});
}

void AddAvgPool3D(OpRegistry& registry) {
  const KernelSignature kernel = ExpensiveOnCpu({{"T", kPooled3D.dtypes()}});
  registry.Add(
      Pool3D("AvgPool3D", "Returns the average of each window of volumes.",
             {"input: T"}, "T: {half, bfloat16, float, double}", AvgPoolShape,
             PoolWork),
      {kernel});
  registry.Add(
      Pool3D("AvgPool3DGrad",
             "Computes the gradient of AvgPool3D with respect to its input.",
             {"orig_input_shape: int32", "grad: T"},
             "T: {half, bfloat16, float, double}", AvgPoolGradShape,
             AvgPoolGradWork),
      {kernel});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddMaxPool3D(registry);
  AddAvgPool3D(registry);
  AddMaxPool(registry);
  AddMaxPoolV2(registry);
  AddMaxPoolWithArgmaxAndOthers(registry);
  AddAvgPool(registry);
}

}  // namespace leat::ops::pooling
