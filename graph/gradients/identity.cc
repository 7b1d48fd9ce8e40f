// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::identity {
namespace {

void IdentityGrad(GradientContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.set(i, c.grad_or_none(i));
}

// The gradient goes to the first input, which is the only one that the output
// depends on.
void FirstInputGrad(GradientContext& c) { c.set(0, c.grad_or_none(0)); }

void PreventGradientGrad(GradientContext& c) {
  c.builder().Fail(
      absl::InvalidArgumentError(absl::StrCat(
          "node '", c.operation().name(),
          "' (PreventGradient): gradient explicitly disabled. Reason: ",
          c.attr<std::string>("message"))),
      SourceLocation{});
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Identity", IdentityGrad);
  registry.Add("IdentityN", IdentityGrad);
  registry.Add("EnsureShape", IdentityGrad);
  registry.Add("RefIdentity", IdentityGrad);
  registry.Add("PlaceholderWithDefault", FirstInputGrad);
  registry.Add("Print", FirstInputGrad);
  registry.Add("PreventGradient", PreventGradientGrad);
  registry.AddNotDifferentiable("StopGradient");
}

}  // namespace leat::gradients::identity
