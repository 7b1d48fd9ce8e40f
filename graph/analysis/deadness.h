// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The outputs of a branch that was not taken are dead, and a node with a dead
// input does not run. A graph in which no tensor can be dead runs faster,
// because its steps need not check for dead tensors. The functions of this
// header are thread-safe.
#ifndef LEAT_GRAPH_ANALYSIS_DEADNESS_H_
#define LEAT_GRAPH_ANALYSIS_DEADNESS_H_

#include "leat/graph/graph.h"

namespace leat {

// Is a bool attr that Leat's planner sets on every _Recv. Its value says
// whether a dead tensor may arrive at the _Recv. A _Recv without the attr comes
// from another planner, and a dead tensor may arrive at it.
inline constexpr char kMayBeDeadAttr[] = "_leat_may_be_dead";

// Returns true if the graph has a Switch, or a _Recv at which a dead tensor may
// arrive: then a tensor of the graph can be dead. Also returns true if the
// graph has a Merge, because a Merge has to choose one of its inputs.
bool CanCarryDeadTensors(const Graph& graph);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_DEADNESS_H_
