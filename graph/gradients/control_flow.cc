// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/control_flow_gradients.h"

namespace leat::gradients::control_flow {

void Register(GradientRegistry& registry) {
  registry.Add("If", BranchesGradient);
  registry.Add("StatelessIf", BranchesGradient);
  registry.Add("Case", BranchesGradient);
  registry.Add("StatelessCase", BranchesGradient);
  registry.Add("While", LoopGradient);
  registry.Add("StatelessWhile", LoopGradient);
  registry.AddNotDifferentiable("FakeParam");
}

}  // namespace leat::gradients::control_flow
