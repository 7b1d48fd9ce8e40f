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

void AvgPoolGrad(GradientContext& c) {
  c.set(0,
        op::AvgPoolGrad(ShapeOf(c.input(0)), c.grad(),
                        c.attr<std::vector<int64_t>>("ksize"),
                        c.attr<std::vector<int64_t>>("strides"),
                        c.attr<std::string>("padding"),
                        {.data_format = c.attr<std::string>("data_format")}));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("MaxPool", MaxPoolGrad);
  registry.Add("AvgPool", AvgPoolGrad);
}

}  // namespace leat::gradients::pooling
