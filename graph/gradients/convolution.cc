// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::convolution {
namespace {

void Conv2DGrad(GradientContext& c) {
  const auto strides = c.attr<std::vector<int64_t>>("strides");
  const auto padding = c.attr<std::string>("padding");
  const auto explicit_paddings =
      c.attr<std::vector<int64_t>>("explicit_paddings");
  const auto data_format = c.attr<std::string>("data_format");
  const auto dilations = c.attr<std::vector<int64_t>>("dilations");
  const Output dy = c.grad();
  if (c.needs(0)) {
    c.set(0, op::Conv2DBackpropInput(ShapeOf(c.input(0)), c.input(1), dy,
                                     strides, padding,
                                     {.explicit_paddings = explicit_paddings,
                                      .data_format = data_format,
                                      .dilations = dilations}));
  }
  if (c.needs(1)) {
    c.set(1, op::Conv2DBackpropFilter(c.input(0), ShapeOf(c.input(1)), dy,
                                      strides, padding,
                                      {.explicit_paddings = explicit_paddings,
                                       .data_format = data_format,
                                       .dilations = dilations}));
  }
}

// The gradient of a convolution with respect to its input is linear in both the
// filter and the gradient of the output, so it can be differentiated again.
// Transposed convolutions are trained this way.
void Conv2DBackpropInputGrad(GradientContext& c) {
  const auto strides = c.attr<std::vector<int64_t>>("strides");
  const auto padding = c.attr<std::string>("padding");
  const auto explicit_paddings =
      c.attr<std::vector<int64_t>>("explicit_paddings");
  const auto data_format = c.attr<std::string>("data_format");
  const auto dilations = c.attr<std::vector<int64_t>>("dilations");
  const Output dy = c.grad();
  if (c.needs(1)) {
    c.set(1, op::Conv2DBackpropFilter(dy, ShapeOf(c.input(1)), c.input(2),
                                      strides, padding,
                                      {.explicit_paddings = explicit_paddings,
                                       .data_format = data_format,
                                       .dilations = dilations}));
  }
  if (c.needs(2)) {
    c.set(2, op::Conv2D(dy, c.input(1), strides, padding,
                        {.explicit_paddings = explicit_paddings,
                         .data_format = data_format,
                         .dilations = dilations}));
  }
}

// Holds the attrs that Conv3D and the ops of its gradients share.
struct Conv3DAttrs {
  explicit Conv3DAttrs(GradientContext& c)
      : strides(c.attr<std::vector<int64_t>>("strides")),
        dilations(c.attr<std::vector<int64_t>>("dilations")),
        padding(c.attr<std::string>("padding")),
        data_format(c.attr<std::string>("data_format")) {}

  Output Forward(Output input, Output filter) const {
    return op::Conv3D(input, filter, strides, padding,
                      {.data_format = data_format, .dilations = dilations});
  }
  Output ForInput(Output input, Output filter, Output dy) const {
    return op::Conv3DBackpropInputV2(
        ShapeOf(input), filter, dy, strides, padding,
        {.data_format = data_format, .dilations = dilations});
  }
  Output ForFilter(Output input, Output filter, Output dy) const {
    return op::Conv3DBackpropFilterV2(
        input, ShapeOf(filter), dy, strides, padding,
        {.data_format = data_format, .dilations = dilations});
  }

  std::vector<int64_t> strides, dilations;
  std::string padding, data_format;
};

void Conv3DGrad(GradientContext& c) {
  const Conv3DAttrs attrs(c);
  const Output x = c.input(0), filter = c.input(1);
  if (c.needs(0)) c.set(0, attrs.ForInput(x, filter, c.grad()));
  if (c.needs(1)) c.set(1, attrs.ForFilter(x, filter, c.grad()));
}

// Transposed convolutions of volumes are trained this way.
void Conv3DBackpropInputGrad(GradientContext& c) {
  const Conv3DAttrs attrs(c);
  const Output dy = c.grad();
  if (c.needs(1)) c.set(1, attrs.ForFilter(dy, c.input(1), c.input(2)));
  if (c.needs(2)) c.set(2, attrs.Forward(dy, c.input(1)));
}

void Conv3DBackpropFilterGrad(GradientContext& c) {
  const Conv3DAttrs attrs(c);
  const Output dy = c.grad();
  if (c.needs(0)) c.set(0, attrs.ForInput(c.input(0), dy, c.input(2)));
  if (c.needs(2)) c.set(2, attrs.Forward(c.input(0), dy));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Conv2D", Conv2DGrad);
  registry.Add("Conv2DBackpropInput", Conv2DBackpropInputGrad);
  registry.Add("Conv3D", Conv3DGrad);
  registry.Add("Conv3DBackpropInputV2", Conv3DBackpropInputGrad);
  registry.Add("Conv3DBackpropFilterV2", Conv3DBackpropFilterGrad);
}

}  // namespace leat::gradients::convolution
