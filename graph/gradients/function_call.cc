// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the gradients of PartitionedCall and StatefulPartitionedCall.
#include <vector>

#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::function_call {
namespace {

// Calls SymbolicGradient with the inputs of the call and the gradients of its
// outputs.
void CallGrad(GradientContext& c) {
  std::vector<Output> inputs;
  std::vector<DType> input_types;
  for (int i = 0; i < c.num_inputs(); ++i) {
    inputs.push_back(c.input(i));
    input_types.push_back(c.input(i).dtype());
  }
  for (int i = 0; i < c.operation().num_outputs(); ++i) {
    inputs.push_back(c.grad(i));
  }
  const Operation gradient =
      AddOp({.op = "SymbolicGradient",
             .inputs = {absl::MakeConstSpan(inputs)},
             .attrs = {{"Tout", input_types}, {"f", c.attr<FunctionRef>("f")}},
             .name = "SymbolicGradient"});
  for (int i = 0; i < c.num_inputs(); ++i) c.set(i, gradient.output(i));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("PartitionedCall", CallGrad);
  registry.Add("StatefulPartitionedCall", CallGrad);
}

}  // namespace leat::gradients::function_call
