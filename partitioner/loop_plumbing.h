// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MoveLoopPlumbing moves the Enter and NextIteration nodes of loops to the
// devices of their consumers. These nodes only bring a value to where a loop
// uses it. They give the value in some iterations only, so a _Recv, which runs
// in every iteration, cannot wait for it. So each device with consumers gets a
// copy of the node.
#ifndef LEAT_PARTITIONER_LOOP_PLUMBING_H_
#define LEAT_PARTITIONER_LOOP_PLUMBING_H_

#include "absl/types/span.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/graph.h"

namespace leat {

// Handles each Enter and NextIteration of a placed graph. If no consumer of the
// node is on the node's own device, moves the node to the device of its first
// consumer. Then adds a copy for every further device that has consumers. Nodes
// that carry references stay with their variables. `frames` are the frames of
// the graph, to which this function adds the copies. Takes O(n * log(n)) time,
// where n is the number of edges in the graph, and an edge into a copied node
// counts once per device. REQUIRES: `order` is what TopologicalOrder returns.
void MoveLoopPlumbing(absl::Span<const NodeId> order, Graph& graph,
                      Frames& frames);

}  // namespace leat

#endif  // LEAT_PARTITIONER_LOOP_PLUMBING_H_
