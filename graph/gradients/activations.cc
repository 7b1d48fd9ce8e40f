// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::activations {
namespace {

void SigmoidGrad(GradientContext& c) {
  c.set(0, op::SigmoidGrad(c.output(0), c.grad()));
}
void TanhGrad(GradientContext& c) {
  c.set(0, op::TanhGrad(c.output(0), c.grad()));
}
void ReluGrad(GradientContext& c) {
  c.set(0, op::ReluGrad(c.grad(), c.output(0)));
}
void Relu6Grad(GradientContext& c) {
  c.set(0, op::Relu6Grad(c.grad(), c.output(0)));
}
void EluGrad(GradientContext& c) {
  c.set(0, op::EluGrad(c.grad(), c.output(0)));
}
void SeluGrad(GradientContext& c) {
  c.set(0, op::SeluGrad(c.grad(), c.output(0)));
}
void LeakyReluGrad(GradientContext& c) {
  c.set(0, op::LeakyReluGrad(c.grad(), c.input(0),
                             {.alpha = c.attr<float>("alpha")}));
}
void SoftplusGrad(GradientContext& c) {
  c.set(0, op::SoftplusGrad(c.grad(), c.input(0)));
}
void SoftsignGrad(GradientContext& c) {
  c.set(0, op::SoftsignGrad(c.grad(), c.input(0)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Sigmoid", SigmoidGrad);
  registry.Add("Tanh", TanhGrad);
  registry.Add("Relu", ReluGrad);
  registry.Add("Relu6", Relu6Grad);
  registry.Add("Elu", EluGrad);
  registry.Add("Selu", SeluGrad);
  registry.Add("LeakyRelu", LeakyReluGrad);
  registry.Add("Softplus", SoftplusGrad);
  registry.Add("Softsign", SoftsignGrad);
}

}  // namespace leat::gradients::activations
