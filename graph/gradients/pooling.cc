// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::pooling {
namespace {

void MaxPoolGrad(GradientContext& c) {
  c.set(0,
        op::MaxPoolGrad(c.input(0), c.output(0), c.grad(),
                        c.attr<std::vector<int64_t>>("ksize"),
                        c.attr<std::vector<int64_t>>("strides"),
                        c.attr<std::string>("padding"),
                        {.explicit_paddings =
                             c.attr<std::vector<int64_t>>("explicit_paddings"),
                         .data_format = c.attr<std::string>("data_format")}));
}

void MaxPoolV2Grad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0,
        op::MaxPoolGradV2(c.input(0), c.output(0), c.grad(), c.input(1),
                          c.input(2), c.attr<std::string>("padding"),
                          {.data_format = c.attr<std::string>("data_format")}));
}

// MaxPoolGrad finds the maximum whose index the op outputs, also in windows
// with several maxima or NaN. So the result is that of TensorFlow, which passes
// the index to MaxPoolGradWithArgmax.
void MaxPoolWithArgmaxGrad(GradientContext& c) {
  c.set(0, op::MaxPoolGrad(c.input(0), c.output(0), c.grad(0),
                           c.attr<std::vector<int64_t>>("ksize"),
                           c.attr<std::vector<int64_t>>("strides"),
                           c.attr<std::string>("padding")));
}

void AvgPoolGrad(GradientContext& c) {
  c.set(0,
        op::AvgPoolGrad(ShapeOf(c.input(0)), c.grad(),
                        c.attr<std::vector<int64_t>>("ksize"),
                        c.attr<std::vector<int64_t>>("strides"),
                        c.attr<std::string>("padding"),
                        {.data_format = c.attr<std::string>("data_format")}));
}

// Holds the attrs of the ops that pool volumes.
struct Pool3DAttrs {
  explicit Pool3DAttrs(GradientContext& c)
      : ksize(c.attr<std::vector<int64_t>>("ksize")),
        strides(c.attr<std::vector<int64_t>>("strides")),
        padding(c.attr<std::string>("padding")),
        data_format(c.attr<std::string>("data_format")) {}

  std::vector<int64_t> ksize, strides;
  std::string padding, data_format;
};

void MaxPool3DGrad(GradientContext& c) {
  const Pool3DAttrs a(c);
  c.set(0,
        op::MaxPool3DGrad(c.input(0), c.output(0), c.grad(), a.ksize, a.strides,
                          a.padding, {.data_format = a.data_format}));
}

void MaxPool3DGradGrad(GradientContext& c) {
  const Pool3DAttrs a(c);
  c.set(2, op::MaxPool3DGradGrad(c.input(0), c.input(1), c.grad(), a.ksize,
                                 a.strides, a.padding,
                                 {.data_format = a.data_format}));
}

void MaxPool3DGradGradGrad(GradientContext& c) {
  const Pool3DAttrs a(c);
  c.set(2,
        op::MaxPool3DGrad(c.input(0), c.input(1), c.grad(), a.ksize, a.strides,
                          a.padding, {.data_format = a.data_format}));
}

void AvgPool3DGrad(GradientContext& c) {
  const Pool3DAttrs a(c);
  c.set(0, op::AvgPool3DGrad(ShapeOf(c.input(0)), c.grad(), a.ksize, a.strides,
                             a.padding, {.data_format = a.data_format}));
}

void AvgPool3DGradGrad(GradientContext& c) {
  const Pool3DAttrs a(c);
  c.set(1, op::AvgPool3D(c.grad(), a.ksize, a.strides, a.padding,
                         {.data_format = a.data_format}));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("MaxPool", MaxPoolGrad);
  registry.Add("MaxPoolV2", MaxPoolV2Grad);
  registry.Add("MaxPoolWithArgmax", MaxPoolWithArgmaxGrad);
  registry.Add("AvgPool", AvgPoolGrad);
  registry.Add("MaxPool3D", MaxPool3DGrad);
  registry.Add("MaxPool3DGrad", MaxPool3DGradGrad);
  registry.Add("MaxPool3DGradGrad", MaxPool3DGradGradGrad);
  registry.Add("AvgPool3D", AvgPool3DGrad);
  registry.Add("AvgPool3DGrad", AvgPool3DGradGrad);
}

}  // namespace leat::gradients::pooling
