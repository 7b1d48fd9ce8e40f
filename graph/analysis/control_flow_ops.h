// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Tells the primitives of control flow apart: the ops of TensorFlow 1 that
// loops and branches are made of. Stateless.
#ifndef LEAT_GRAPH_ANALYSIS_CONTROL_FLOW_OPS_H_
#define LEAT_GRAPH_ANALYSIS_CONTROL_FLOW_OPS_H_

#include "leat/graph/graph.h"

namespace leat {

// Each function returns true if the op of `node` is one of the two ops that the
// comment beside the function names.
bool IsEnter(const Node& node);          // Enter, RefEnter
bool IsExit(const Node& node);           // Exit, RefExit
bool IsMerge(const Node& node);          // Merge, RefMerge
bool IsSwitch(const Node& node);         // Switch, RefSwitch
bool IsNextIteration(const Node& node);  // NextIteration, RefNextIteration

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_CONTROL_FLOW_OPS_H_
