// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReduceCrossTaskEdges removes unnecessary edges between tasks from the graph
// of a step. Each edge between tasks is a message for which a task must wait.
// There are two ways to remove such edges:
//  - A small constant is copied to the tasks that use it.
//  - A NoOp that waits for other tasks and that no node waits for, such as the
//    group of all updates in a training step, is removed. The nodes that it
//    groups run without it, and the step ends when all tasks have run their
//    parts.
#ifndef LEAT_PARTITIONER_REDUCE_CROSS_TASK_EDGES_H_
#define LEAT_PARTITIONER_REDUCE_CROSS_TASK_EDGES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Limits the size of a constant that is copied, in bytes.
inline constexpr int64_t kMaxCopiedBytes = 1024;

// Removes edges between tasks from `graph`. Does nothing if all nodes are on
// one task. Returns INVALID_ARGUMENT if a graph over several tasks has a cycle.
// REQUIRES: every node has a device.
absl::Status ReduceCrossTaskEdges(Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_REDUCE_CROSS_TASK_EDGES_H_
