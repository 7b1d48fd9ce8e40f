// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Placement of a whole graph: merges requested (partial) device names,
// colocation and kernel signatures into constraints, then lets a policy choose
// among what they allow (OSDI'16 paper, section 3.3; TensorFlow's Placer).
#ifndef LEAT_PARTITIONER_PLACER_H_
#define LEAT_PARTITIONER_PLACER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/policy.h"

namespace leat {

struct PlacerOptions {
  // A request that no device satisfies falls back to another device of the
  // same task.
  bool allow_soft_placement = false;
  PlacementPolicy policy = nullptr;
  // Tasks of TensorFlow, "/job:ps/replica:0/task:0": their CPUs are taken to
  // have every registered op, for every type.
  std::vector<std::string> foreign_tasks = {};
};

// Assigns a device to every node that has none yet; assigned ones stay. The
// first device's task is preferred. Colocated are: producers and consumers of
// reference and resource edges, and nodes that name each other in `_class`
// ("loc:@x"). Control flow that only routes values stands with them where its
// constraints allow it (ColocateControlFlow). INVALID_ARGUMENT naming a node,
// its request and the devices when the constraints of a group contradict each
// other; but what takes a reference or a resource yields to its producer. A
// node whose types no kernel of ours has goes to the CPU of a foreign task if
// it, or what it is colocated with, asks for that task or its job.
absl::Status PlaceGraph(Graph& graph, absl::Span<const DeviceInfo> devices,
                        const PlacerOptions& options);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PLACER_H_
