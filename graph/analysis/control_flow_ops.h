// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tells apart the control flow ops of TensorFlow 1. Loops and branches are made
// of these ops. The functions have no state.
#ifndef LEAT_GRAPH_ANALYSIS_CONTROL_FLOW_OPS_H_
#define LEAT_GRAPH_ANALYSIS_CONTROL_FLOW_OPS_H_

#include "leat/graph/graph.h"

namespace leat {

// Each function returns true if the op of `node` is one of the two ops in the
// comment beside the function.
bool IsEnter(const Node& node);          // Enter, RefEnter
bool IsExit(const Node& node);           // Exit, RefExit
bool IsMerge(const Node& node);          // Merge, RefMerge
bool IsSwitch(const Node& node);         // Switch, RefSwitch
bool IsNextIteration(const Node& node);  // NextIteration, RefNextIteration

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_CONTROL_FLOW_OPS_H_
