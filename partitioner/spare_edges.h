// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SpareEdges: a step with fewer edges between tasks, each of which is a message
// that somebody waits for.
//  - A small constant is copied to the tasks that use it.
//  - A NoOp that nobody waits for, such as a training step's group of updates,
//    goes, where it waits for other tasks: what it groups runs without it, and
//    the step ends when all tasks have.
#ifndef LEAT_PARTITIONER_SPARE_EDGES_H_
#define LEAT_PARTITIONER_SPARE_EDGES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// What is copied, at the most.
inline constexpr int64_t kMaxCopiedBytes = 1024;

// REQUIRES: every node has a device, of the graph's names. INVALID_ARGUMENT for
// a graph of several tasks that has a cycle.
absl::Status SpareEdges(Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_SPARE_EDGES_H_
