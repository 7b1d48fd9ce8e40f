// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::conv2d {
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

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Conv2D", Conv2DGrad);
  registry.Add("Conv2DBackpropInput", Conv2DBackpropInputGrad);
}

}  // namespace leat::gradients::conv2d
