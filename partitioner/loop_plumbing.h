// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Loop plumbing: Enter and NextIteration, which only bring a value to where a
// loop uses it. They give it in some iterations only, so no _Recv could wait
// for it: they must stand on the device of each consumer.
#ifndef LEAT_PARTITIONER_LOOP_PLUMBING_H_
#define LEAT_PARTITIONER_LOOP_PLUMBING_H_

#include "absl/types/span.h"
#include "leat/graph/frames.h"
#include "leat/graph/graph.h"

namespace leat {

// Moves each Enter and NextIteration of a placed graph to where it is used,
// with a copy on every further device; those of references stay with their
// variables. Extends `frames`, those of the graph, for the copies.
// REQUIRES: `order` as TopologicalOrder gives it. O(edges * log(edges)) for the
// edges into the nodes, times the devices for those that are copied.
void MoveLoopPlumbing(absl::Span<const NodeId> order, Graph& graph,
                      Frames& frames);

}  // namespace leat

#endif  // LEAT_PARTITIONER_LOOP_PLUMBING_H_
