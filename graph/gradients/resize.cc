// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::resize {
namespace {

void ResizeNearestNeighborGrad(GradientContext& c) {
  const Output size =
      op::Slice(ShapeOf(c.input(0)), Tensor::Vector<int32_t>({1}),
                Tensor::Vector<int32_t>({2}));
  c.set(0, op::ResizeNearestNeighborGrad(
               c.grad(), size,
               {.align_corners = c.attr<bool>("align_corners"),
                .half_pixel_centers = c.attr<bool>("half_pixel_centers")}));
}

void ResizeBilinearGrad(GradientContext& c) {
  c.set(0, op::ResizeBilinearGrad(
               c.grad(), c.input(0),
               {.align_corners = c.attr<bool>("align_corners"),
                .half_pixel_centers = c.attr<bool>("half_pixel_centers")}));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("ResizeNearestNeighbor", ResizeNearestNeighborGrad);
  registry.Add("ResizeBilinear", ResizeBilinearGrad);
}

}  // namespace leat::gradients::resize
