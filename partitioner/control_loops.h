// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Control loops: how a device takes part in a loop whose predicate another one
// computes (OSDI'16 paper, section 3.4; TensorFlow's graph_partition).
//
// A _Recv inside of a loop must run once per iteration. So each device that
// takes part gets a small loop of its own in the same frame, all of its nodes
// named `_cloop...`: Enter, Merge, Switch on the loop's predicate, which comes
// from its device in every iteration, and NextIteration. Whatever takes a
// tensor from another device in the frame gets a control edge from that Merge,
// and PartitionGraph hands the edge on to the _Recv that it puts in between.
// This is TensorFlow's convention: its planner and ours may cut the graph, its
// workers and ours may run the parts.
#ifndef LEAT_PARTITIONER_CONTROL_LOOPS_H_
#define LEAT_PARTITIONER_CONTROL_LOOPS_H_

#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Adds control loops to a placed graph, once, before it is first cut; nothing
// where every loop is on one device. An Enter or NextIteration gives a value in
// some iterations only, so no _Recv could wait for it: each moves to where it
// is used, with a copy on every further device.
// INVALID_ARGUMENT naming the loop, and nodes and their devices, for a loop
// over devices without a LoopCond or with LoopConds of several predicates, for
// a tensor to be sent that does not come in every iteration, and for loops
// nested deeper than kMaxFrameDepth (graph/frames.h).
absl::Status AddControlLoops(Graph& graph);

// The Merge of a control loop.
bool IsControlLoopMerge(const Node& node);

}  // namespace leat

#endif  // LEAT_PARTITIONER_CONTROL_LOOPS_H_
