// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::depthwise_conv2d {
namespace {

// The convolution is linear in its input and in its filter, so the gradients of
// each of the three ops are the two other ones.
struct Depthwise {
  explicit Depthwise(GradientContext& c)
      : strides(c.attr<std::vector<int64_t>>("strides")),
        padding(c.attr<std::string>("padding")),
        explicit_paddings(c.attr<std::vector<int64_t>>("explicit_paddings")),
        data_format(c.attr<std::string>("data_format")),
        dilations(c.attr<std::vector<int64_t>>("dilations")) {}

  Output Forward(Output input, Output filter) const {
    return op::DepthwiseConv2dNative(input, filter, strides, padding,
                                     {.explicit_paddings = explicit_paddings,
                                      .data_format = data_format,
                                      .dilations = dilations});
  }
  Output BackpropInput(Output input, Output filter, Output dy) const {
    return op::DepthwiseConv2dNativeBackpropInput(
        ShapeOf(input), filter, dy, strides, padding,
        {.explicit_paddings = explicit_paddings,
         .data_format = data_format,
         .dilations = dilations});
  }
  Output BackpropFilter(Output input, Output filter, Output dy) const {
    return op::DepthwiseConv2dNativeBackpropFilter(
        input, ShapeOf(filter), dy, strides, padding,
        {.explicit_paddings = explicit_paddings,
         .data_format = data_format,
         .dilations = dilations});
  }

  std::vector<int64_t> strides;
  std::string padding;
  std::vector<int64_t> explicit_paddings;
  std::string data_format;
  std::vector<int64_t> dilations;
};

void ForwardGrad(GradientContext& c) {
  const Depthwise op(c);
  const Output dy = c.grad();
  if (c.needs(0)) c.set(0, op.BackpropInput(c.input(0), c.input(1), dy));
  if (c.needs(1)) c.set(1, op.BackpropFilter(c.input(0), c.input(1), dy));
}

// The inputs are input_sizes, filter and out_backprop.
void BackpropInputGrad(GradientContext& c) {
  const Depthwise op(c);
  const Output dx = c.grad();
  if (c.needs(1)) c.set(1, op.BackpropFilter(dx, c.input(1), c.input(2)));
  if (c.needs(2)) c.set(2, op.Forward(dx, c.input(1)));
}

// The inputs are input, filter_sizes and out_backprop.
void BackpropFilterGrad(GradientContext& c) {
  const Depthwise op(c);
  const Output dw = c.grad();
  if (c.needs(0)) c.set(0, op.BackpropInput(c.input(0), dw, c.input(2)));
  if (c.needs(2)) c.set(2, op.Forward(c.input(0), dw));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("DepthwiseConv2dNative", ForwardGrad);
  registry.Add("DepthwiseConv2dNativeBackpropInput", BackpropInputGrad);
  registry.Add("DepthwiseConv2dNativeBackpropFilter", BackpropFilterGrad);
}

}  // namespace leat::gradients::depthwise_conv2d
