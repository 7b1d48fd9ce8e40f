// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::space_to_batch {
namespace {

void SpaceToBatchNDGrad(GradientContext& c) {
  if (c.needs(0)) {
    c.set(0, op::BatchToSpaceND(c.grad(), c.input(1), c.input(2)));
  }
}

void BatchToSpaceNDGrad(GradientContext& c) {
  if (c.needs(0)) {
    c.set(0, op::SpaceToBatchND(c.grad(), c.input(1), c.input(2)));
  }
}

void SpaceToBatchGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0,
        op::BatchToSpace(c.grad(), c.input(1), c.attr<int64_t>("block_size")));
}

void BatchToSpaceGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0,
        op::SpaceToBatch(c.grad(), c.input(1), c.attr<int64_t>("block_size")));
}

void SpaceToDepthGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0,
        op::DepthToSpace(c.grad(), c.attr<int64_t>("block_size"),
                         {.data_format = c.attr<std::string>("data_format")}));
}

void DepthToSpaceGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0,
        op::SpaceToDepth(c.grad(), c.attr<int64_t>("block_size"),
                         {.data_format = c.attr<std::string>("data_format")}));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("SpaceToBatchND", SpaceToBatchNDGrad);
  registry.Add("BatchToSpaceND", BatchToSpaceNDGrad);
  registry.Add("SpaceToBatch", SpaceToBatchGrad);
  registry.Add("BatchToSpace", BatchToSpaceGrad);
  registry.Add("SpaceToDepth", SpaceToDepthGrad);
  registry.Add("DepthToSpace", DepthToSpaceGrad);
}

}  // namespace leat::gradients::space_to_batch
