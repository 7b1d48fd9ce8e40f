// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Deadness: a branch that was not taken sends dead tensors, and whoever needs
// one does not run. Where nothing can be dead, steps need not ask.
#ifndef LEAT_GRAPH_DEADNESS_H_
#define LEAT_GRAPH_DEADNESS_H_

#include "leat/graph/graph.h"

namespace leat {

// Set by our planner on every _Recv: whether a dead tensor may arrive. A _Recv
// without it comes from another planner, so one may.
inline constexpr char kMayBeDeadAttr[] = "_leat_may_be_dead";

// A tensor of the graph can be dead, or a choice between tensors is to be made:
// it has a Switch, a Merge or such a _Recv.
bool CanCarryDeadTensors(const Graph& graph);

}  // namespace leat

#endif  // LEAT_GRAPH_DEADNESS_H_
