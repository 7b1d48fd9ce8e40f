// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Builds the gradients of If, Case and While nodes. The gradient of an If, Case
// or While is a node of the same kind. The bodies of this node are the
// gradients of the forward node's bodies. The forward node gets new outputs for
// the values of the forward computation that the gradients need, so nothing is
// computed twice. TensorFlow's cond_v2 and while_v2 do the same. Is not
// thread-safe, because GraphBuilder is not.
#ifndef LEAT_GRAPH_AUTODIFF_CONTROL_FLOW_GRADIENTS_H_
#define LEAT_GRAPH_AUTODIFF_CONTROL_FLOW_GRADIENTS_H_

#include "leat/graph/autodiff/gradient_registry.h"

namespace leat {

// Builds the gradient of an If or Case. In a step, only the gradient of the
// branch that was taken runs. The gradient is zero for inputs that only other
// branches use.
void BranchesGradient(GradientContext& context);

// Builds the gradient of a While. The gradient is a loop, too. It goes through
// the forward loop's iterations from the last to the first. If gradients pass
// through a variable of the forward loop, the new loop has a variable for the
// gradient of that variable. If the forward loop does not change an input, the
// new loop has a variable that sums the input's gradients over the iterations.
// The forward loop keeps intermediate values in lists. If the loop is itself a
// gradient, the builder fails with UNIMPLEMENTED.
void LoopGradient(GradientContext& context);

}  // namespace leat

#endif  // LEAT_GRAPH_AUTODIFF_CONTROL_FLOW_GRADIENTS_H_
