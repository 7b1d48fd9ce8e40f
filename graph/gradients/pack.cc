// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::pack {
namespace {

std::vector<Output> AllGradients(GradientContext& c) {
  std::vector<Output> gradients;
  for (int i = 0; i < c.operation().num_outputs(); ++i) {
    gradients.push_back(c.grad(i));
  }
  return gradients;
}

void PackGrad(GradientContext& c) {
  const std::vector<Output> parts =
      op::Unpack(c.grad(), c.num_inputs(), {.axis = c.attr<int64_t>("axis")});
  for (int i = 0; i < c.num_inputs(); ++i) c.set(i, parts[i]);
}

void UnpackGrad(GradientContext& c) {
  c.set(0, op::Pack(AllGradients(c), {.axis = c.attr<int64_t>("axis")}));
}

void SplitGrad(GradientContext& c) {
  c.set(1, op::ConcatV2(AllGradients(c), c.input(0)));
}

void SplitVGrad(GradientContext& c) {
  c.set(0, op::ConcatV2(AllGradients(c), c.input(2)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Pack", PackGrad);
  registry.Add("Unpack", UnpackGrad);
  registry.Add("Split", SplitGrad);
  registry.Add("SplitV", SplitVGrad);
}

}  // namespace leat::gradients::pack
