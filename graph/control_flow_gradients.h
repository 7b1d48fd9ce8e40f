// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Gradients of If, Case and While: the node of the same kind whose bodies are
// the gradients of its bodies. What those need of the forward computation the
// forward node hands out in outputs that it gets for that; nothing is computed
// again. TensorFlow's cond_v2 and while_v2.
#ifndef LEAT_GRAPH_CONTROL_FLOW_GRADIENTS_H_
#define LEAT_GRAPH_CONTROL_FLOW_GRADIENTS_H_

#include "leat/graph/gradient_registry.h"

namespace leat {

// The branch that was taken gives the gradients, zeros for what only another
// one reaches.
void BranchesGradient(GradientContext& context);

// A loop of as many iterations, from the last to the first, whose variables are
// the gradients of the forward loop's variables, and of what it captures, those
// added up. The forward loop keeps intermediate values in lists.
void LoopGradient(GradientContext& context);

}  // namespace leat

#endif  // LEAT_GRAPH_CONTROL_FLOW_GRADIENTS_H_
