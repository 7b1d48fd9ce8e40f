// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Conv2D, Conv3D, DepthwiseConv2dNative and the ops of their gradients.
// Also defines _FusedConv2D, which the fusion pass makes from a Conv2D.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/window.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::convolution {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

struct ConvolutionAttrs {
  ImageAxes axes = {};
  Window depth = {};  // `size` is set later, from the filter
  Window height = {};
  Window width = {};
};

absl::Status CheckLength(absl::string_view attr,
                         absl::Span<const int64_t> values, size_t length) {
  if (values.size() == length) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      attr, " must have ", length, " values, got ", values.size()));
}

// Checks that strides or dilations are positive, and that they are 1 along the
// batch axis and the channel axis.
absl::Status CheckPerAxis(absl::string_view attr,
                          absl::Span<const int64_t> values,
                          const ImageAxes& axes) {
  LEAT_RETURN_IF_ERROR(
      CheckLength(attr, values, static_cast<size_t>(axes.rank())));
  for (const int64_t value : values) {
    if (value < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(attr, " must be positive, got ", value));
    }
  }
  if (values[static_cast<size_t>(axes.batch)] != 1 ||
      values[static_cast<size_t>(axes.channel)] != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        attr, " in the batch and depth dimensions are not supported"));
  }
  return absl::OkStatus();
}

absl::Status SetExplicitPadding(absl::Span<const int64_t> paddings,
                                ConvolutionAttrs& attrs) {
  LEAT_RETURN_IF_ERROR(CheckLength("explicit_paddings", paddings, 8));
  for (const int64_t padding : paddings) {
    if (padding < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "All elements of explicit_paddings must be nonnegative, got ",
          padding));
    }
  }
  const auto at = [&](int axis, int side) {
    return paddings[static_cast<size_t>(2 * axis + side)];
  };
  for (const int axis : {attrs.axes.batch, attrs.axes.channel}) {
    if (at(axis, 0) != 0 || at(axis, 1) != 0) {
      return absl::InvalidArgumentError(
          "explicit padding of the batch and depth dimensions is not "
          "supported");
    }
  }
  attrs.height.before = at(attrs.axes.height, 0);
  attrs.height.after = at(attrs.axes.height, 1);
  attrs.width.before = at(attrs.axes.width, 0);
  attrs.width.after = at(attrs.axes.width, 1);
  return absl::OkStatus();
}

absl::StatusOr<ConvolutionAttrs> ReadAttrs(const InferenceContext& context) {
  using Ints = std::vector<int64_t>;
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        context.Attr<std::string>("data_format"));
  LEAT_ASSIGN_OR_RETURN(const std::string padding_name,
                        context.Attr<std::string>("padding"));
  LEAT_ASSIGN_OR_RETURN(const Ints strides, context.Attr<Ints>("strides"));
  LEAT_ASSIGN_OR_RETURN(const Ints dilations, context.Attr<Ints>("dilations"));
  LEAT_ASSIGN_OR_RETURN(const Ints paddings,
                        context.attrs().GetOr<Ints>("explicit_paddings", {}));
  LEAT_ASSIGN_OR_RETURN(const Padding padding, ParsePadding(padding_name));
  ConvolutionAttrs attrs;
  LEAT_ASSIGN_OR_RETURN(attrs.axes, ParseImageAxes(format));
  LEAT_RETURN_IF_ERROR(CheckPerAxis("strides", strides, attrs.axes));
  LEAT_RETURN_IF_ERROR(CheckPerAxis("dilations", dilations, attrs.axes));
  const auto set = [&](Window& window, int axis) {
    window.stride = strides[static_cast<size_t>(axis)];
    window.dilation = dilations[static_cast<size_t>(axis)];
    window.padding = padding;
  };
  set(attrs.height, attrs.axes.height);
  set(attrs.width, attrs.axes.width);
  if (attrs.axes.has_depth()) set(attrs.depth, attrs.axes.depth);
  if (padding == Padding::kExplicit) {
    LEAT_RETURN_IF_ERROR(SetExplicitPadding(paddings, attrs));
  } else if (!paddings.empty()) {
    return absl::InvalidArgumentError(
        "explicit_paddings must be empty if the padding is not EXPLICIT");
  }
  return attrs;
}

absl::StatusOr<int64_t> OutputExtent(int64_t input, int64_t filter,
                                     Window window) {
  if (filter == kUnknown) {
    // With padding SAME, the output's extent does not depend on the filter.
    if (window.padding != Padding::kSame) return kUnknown;
    filter = 1;
  }
  window.size = filter;
  return WindowedExtent(input, window);
}

// Checks that the number of the input's channels is a multiple of the number of
// the filter's input channels. The quotient is the number of groups. Also
// checks that the number of output channels is a multiple of the number of
// groups.
absl::Status CheckChannels(int64_t input, int64_t filter, int64_t output) {
  if (input == kUnknown || filter == kUnknown) return absl::OkStatus();
  if (filter == 0 || input % filter != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Depth of input (", input,
        ") is not a multiple of input depth of filter (", filter, ")"));
  }
  const int64_t groups = input / filter;
  if (output == kUnknown || groups == 0 || output % groups == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Depth of output (", output,
      ") is not a multiple of the number of groups (", groups, ")"));
}

// Gives output 0 the shape of the images or volumes that a convolution of
// `input` with `filter` makes. They have `channels` channels.
absl::Status SetConvolved(const PartialShape& input, const PartialShape& filter,
                          int64_t channels, const ConvolutionAttrs& attrs,
                          InferenceContext& context) {
  const ImageAxes& axes = attrs.axes;
  Dims dims(static_cast<size_t>(axes.rank()));
  dims[static_cast<size_t>(axes.batch)] = input.dim(axes.batch);
  dims[static_cast<size_t>(axes.channel)] = channels;
  const int height = axes.has_depth() ? 1 : 0;  // the filter's axis
  if (axes.has_depth()) {
    LEAT_ASSIGN_OR_RETURN(
        dims[static_cast<size_t>(axes.depth)],
        OutputExtent(input.dim(axes.depth), filter.dim(0), attrs.depth));
  }
  LEAT_ASSIGN_OR_RETURN(
      dims[static_cast<size_t>(axes.height)],
      OutputExtent(input.dim(axes.height), filter.dim(height), attrs.height));
  LEAT_ASSIGN_OR_RETURN(
      dims[static_cast<size_t>(axes.width)],
      OutputExtent(input.dim(axes.width), filter.dim(height + 1), attrs.width));
  return SetOutput(dims, context);
}

absl::Status Conv2DShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input, context.WithRank(0, 4));
  LEAT_ASSIGN_OR_RETURN(const PartialShape filter, context.WithRank(1, 4));
  LEAT_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadAttrs(context));
  LEAT_RETURN_IF_ERROR(CheckChannels(input.dim(attrs.axes.channel),
                                     filter.dim(2), filter.dim(3)));
  return SetConvolved(input, filter, filter.dim(3), attrs, context);
}

// The filter has as many input channels as the input, and several output
// channels for each of them.
absl::Status DepthwiseShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input, context.WithRank(0, 4));
  LEAT_ASSIGN_OR_RETURN(const PartialShape filter, context.WithRank(1, 4));
  LEAT_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadAttrs(context));
  LEAT_ASSIGN_OR_RETURN(
      const int64_t in_channels,
      MergeExtents(input.dim(attrs.axes.channel), filter.dim(2)));
  LEAT_ASSIGN_OR_RETURN(const int64_t channels,
                        MultiplyExtents(in_channels, filter.dim(3)));
  return SetConvolved(input, filter, channels, attrs, context);
}

absl::Status Conv3DShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input, context.WithRank(0, 5));
  LEAT_ASSIGN_OR_RETURN(const PartialShape filter, context.WithRank(1, 5));
  LEAT_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadAttrs(context));
  LEAT_RETURN_IF_ERROR(
      MergeExtents(input.dim(attrs.axes.channel), filter.dim(3)).status());
  return SetConvolved(input, filter, filter.dim(4), attrs, context);
}

// Gives output 0 the shape that input `sizes` holds. Checks that this shape,
// input `other` and the gradient in input 2 have the rank of images or volumes.
absl::Status BackpropShape(InferenceContext& context, int sizes, int other) {
  LEAT_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadAttrs(context));
  const int rank = attrs.axes.rank();
  LEAT_RETURN_IF_ERROR(context.WithRank(other, rank).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, rank).status());
  LEAT_ASSIGN_OR_RETURN(const PartialShape described,
                        ShapeInput(context, sizes));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        Merge(described, PartialShape::UnknownOfRank(rank)));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status Conv2DBackpropInputShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape sizes, context.WithRank(0, 1));
  if (sizes.dim(0) != 2) return BackpropShape(context, 0, 1);
  // `input_sizes` has the spatial extents only. The batch extent comes from the
  // gradient, and the channel extent comes from the filter.
  LEAT_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadAttrs(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape filter, context.WithRank(1, 4));
  LEAT_ASSIGN_OR_RETURN(const PartialShape gradient, context.WithRank(2, 4));
  LEAT_ASSIGN_OR_RETURN(const PartialShape spatial, ShapeInput(context, 0));
  Dims dims(4);
  dims[static_cast<size_t>(attrs.axes.batch)] = gradient.dim(attrs.axes.batch);
  dims[static_cast<size_t>(attrs.axes.height)] = ExtentOf(spatial, 0);
  dims[static_cast<size_t>(attrs.axes.width)] = ExtentOf(spatial, 1);
  dims[static_cast<size_t>(attrs.axes.channel)] = filter.dim(2);
  return SetOutput(dims, context);
}

// Is for Conv2D, Conv3D and DepthwiseConv2dNative.
absl::Status BackpropFilterShape(InferenceContext& context) {
  return BackpropShape(context, 1, 0);
}

// Is for Conv3D and DepthwiseConv2dNative.
absl::Status BackpropInputShape(InferenceContext& context) {
  return BackpropShape(context, 0, 1);
}

// Returns the work of a convolution or of one of its gradients. In all of them,
// each element of `output` goes with a window of `input`, which has as many
// elements as the filter has for one output channel.
template <bool kIsDepthwise>
Work ConvolutionWork(const WorkContext& context, const TensorSpec& input,
                     const TensorSpec& filter, const TensorSpec& output) {
  Work work = works::Move(context);
  // oneDNN takes a copy of the filter in an order of its own.
  if (filter.dtype == DType::kFloat) work.scratch_bytes = filter.num_bytes();
  const auto format = context.attrs().Get<std::string>("data_format");
  const size_t first = format.ok() && absl::StartsWith(*format, "NC") ? 2 : 1;
  const auto sizes = filter.shape.dims();
  const auto extents = input.shape.dims();
  if (sizes.size() < 2 || extents.size() < first) return work;
  const size_t spatial = sizes.size() - 2;
  const double channels =
      kIsDepthwise ? 1 : static_cast<double>(sizes[spatial]);
  const double taps =
      WindowElements(sizes.subspan(0, spatial), extents.subspan(first));
  work.flops = 2 * taps * channels * FlopsOf(output);
  return work;
}

template <bool kIsDepthwise = false>
Work ForwardWork(const WorkContext& context) {
  return ConvolutionWork<kIsDepthwise>(context, context.input(0),
                                       context.input(1), context.output(0));
}

template <bool kIsDepthwise = false>
Work BackpropInputWork(const WorkContext& context) {
  return ConvolutionWork<kIsDepthwise>(context, context.output(0),
                                       context.input(1), context.input(2));
}

template <bool kIsDepthwise = false>
Work BackpropFilterWork(const WorkContext& context) {
  return ConvolutionWork<kIsDepthwise>(context, context.input(0),
                                       context.output(0), context.input(2));
}

OpSpec Depthwise(absl::string_view name, absl::string_view doc,
                 std::vector<std::string> inputs, ShapeFunction shape,
                 WorkFunction work) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = std::move(inputs);
  spec.outputs = {"output: T"};
  spec.attrs = {"T: {half, bfloat16, float, double}",
                "strides: list(int)",
                "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                "explicit_paddings: list(int) = []",
                "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                "dilations: list(int) = [1, 1, 1, 1]"};
  spec.shape = shape;
  spec.work = work;
  return spec;
}

void AddDepthwise(OpRegistry& registry) {
  registry.Add(
      Depthwise("DepthwiseConv2dNative",
                "Convolves each channel of images with filters of its own.",
                {"input: T", "filter: T"}, DepthwiseShape, ForwardWork<true>),
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Depthwise("DepthwiseConv2dNativeBackpropInput",
                "Computes the gradient of DepthwiseConv2dNative with respect "
                "to its input.",
                {"input_sizes: int32", "filter: T", "out_backprop: T"},
                BackpropInputShape, BackpropInputWork<true>),
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Depthwise("DepthwiseConv2dNativeBackpropFilter",
                "Computes the gradient of DepthwiseConv2dNative with respect "
                "to its filter.",
                {"input: T", "filter_sizes: int32", "out_backprop: T"},
                BackpropFilterShape, BackpropFilterWork<true>),
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}})});
}

OpSpec Conv3D(absl::string_view name, absl::string_view doc,
              std::vector<std::string> inputs, ShapeFunction shape,
              WorkFunction work) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = std::move(inputs);
  spec.outputs = {"output: T"};
  spec.attrs = {"T: {half, bfloat16, float, double}", "strides: list(int) >= 5",
                "padding: {'SAME', 'VALID'}",
                "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
                "dilations: list(int) = [1, 1, 1, 1, 1]"};
  spec.shape = shape;
  spec.work = work;
  return spec;
}

void AddConv3D(OpRegistry& registry) {
  const KernelSignature kernel = ExpensiveOnCpu({{"T", kFloats.dtypes()}});
  registry.Add(Conv3D("Conv3D", "Convolves a batch of volumes with a filter.",
                      {"input: T", "filter: T"}, Conv3DShape, ForwardWork<>),
               {kernel});
  OpSpec backprop_input =
      Conv3D("Conv3DBackpropInputV2",
             "Computes the gradient of Conv3D with respect to its input.",
             {"input_sizes: Tshape", "filter: T", "out_backprop: T"},
             BackpropInputShape, BackpropInputWork<>);
  backprop_input.attrs.push_back("Tshape: {int32, int64} = int32");
  registry.Add(std::move(backprop_input), {kernel});
  registry.Add(
      Conv3D("Conv3DBackpropFilterV2",
             "Computes the gradient of Conv3D with respect to its filter.",
             {"input: T", "filter_sizes: int32", "out_backprop: T"},
             BackpropFilterShape, BackpropFilterWork<>),
      {kernel});
}

void AddFusedConv2D(OpRegistry& registry) {
  registry.Add(
      {.name = "_FusedConv2D",
       .doc = "Computes Conv2D and applies fused_ops, a bias and maybe an "
              "activation, to the result.",
       .inputs = {"input: T", "filter: T", "args: TArgs",
                  "host_args: num_host_args * float"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, float, double, int8, qint8}", "TArgs: list(type)",
                 "num_args: int >= 0", "num_host_args: int >= 0 = 0",
                 "strides: list(int)", "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                 "explicit_paddings: list(int) = []",
                 "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
                 "filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'",
                 "dilations: list(int) = [1, 1, 1, 1]",
                 "use_cudnn_on_gpu: bool = true",
                 "fused_ops: list(string) = []", "epsilon: float = 0.0001",
                 "leakyrelu_alpha: float = 0.2"},
       .shape = Conv2DShape,
       .work = ForwardWork<>},
      {ExpensiveOnCpu({{"T", {DType::kFloat}}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddFusedConv2D(registry);
  AddDepthwise(registry);
  AddConv3D(registry);

  registry.Add(
      {.name = "Conv2D",
       .doc = "Convolves a batch of images with a filter.",
       .inputs = {"input: T", "filter: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, bfloat16, float, double, int32}",
                 "strides: list(int)", "use_cudnn_on_gpu: bool = true",
                 "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                 "explicit_paddings: list(int) = []",
                 "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                 "dilations: list(int) = [1, 1, 1, 1]"},
       .shape = Conv2DShape,
       .work = ForwardWork<>},
      {ExpensiveOnCpu({{"T", (kFloats + DTypeList<int32_t>()).dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "Conv2DBackpropInput",
       .doc = "Computes the gradient of Conv2D with respect to its input.",
       .inputs = {"input_sizes: int32", "filter: T", "out_backprop: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, bfloat16, float, double, int32}",
                 "strides: list(int)", "use_cudnn_on_gpu: bool = true",
                 "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                 "explicit_paddings: list(int) = []",
                 "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                 "dilations: list(int) = [1, 1, 1, 1]"},
       .shape = Conv2DBackpropInputShape,
       .work = BackpropInputWork<>},
      {ExpensiveOnCpu({{"T", (kFloats + DTypeList<int32_t>()).dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloats.dtypes()}}), {"input_sizes"})});

  registry.Add(
      {.name = "Conv2DBackpropFilter",
       .doc = "Computes the gradient of Conv2D with respect to its filter.",
       .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, bfloat16, float, double}", "strides: list(int)",
                 "use_cudnn_on_gpu: bool = true",
                 "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                 "explicit_paddings: list(int) = []",
                 "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                 "dilations: list(int) = [1, 1, 1, 1]"},
       .shape = BackpropFilterShape,
       .work = BackpropFilterWork<>},
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloats.dtypes()}}), {"filter_sizes"})});
}

}  // namespace leat::ops::convolution
