// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A control loop lets a device take part in a loop whose predicate another
// device computes (OSDI'16 paper, section 3.4; TensorFlow's graph_partition).
//
// A _Recv inside of a loop must run once per iteration. So each device that
// takes part in the loop gets a small loop of its own in the same frame: Enter,
// Merge, Switch and NextIteration, whose names begin with `_cloop`. The Switch
// takes the loop's predicate. The device that computes the predicate sends it
// in every iteration. Each node in the frame that takes a tensor from another
// device gets a control edge from the Merge. When PartitionGraph inserts a
// _Recv for the tensor, it moves this control edge to the _Recv. TensorFlow
// follows the same convention. So workers of TensorFlow can run graphs that
// Leat has cut, and workers of Leat can run graphs that TensorFlow has cut.
#ifndef LEAT_PARTITIONER_CONTROL_LOOPS_H_
#define LEAT_PARTITIONER_CONTROL_LOOPS_H_

#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Adds control loops to a placed graph, wherever a loop spans devices. Call it
// once, before the graph is first cut. Also moves each Enter and NextIteration
// to the device where its value is used, with a copy on every further device
// (loop_plumbing.h).
//
// Returns INVALID_ARGUMENT naming the loop, nodes and their devices if a loop
// that spans devices
//  - has no LoopCond,
//  - has LoopConds with different predicates, or
//  - has a tensor that must be sent but is not computed in every iteration.
// Also returns INVALID_ARGUMENT for loops that are nested deeper than
// kMaxFrameDepth (graph/analysis/frames.h). Fails as FindFrames and
// TopologicalOrder do.
absl::Status AddControlLoops(Graph& graph);

// Returns true for the Merge of a control loop that Leat or TensorFlow has
// added.
bool IsControlLoopMerge(const Node& node);

}  // namespace leat

#endif  // LEAT_PARTITIONER_CONTROL_LOOPS_H_
