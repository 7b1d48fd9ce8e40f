// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlaceGraph assigns a device to each node of a whole graph. It merges
// requested (partial) device names, colocation and kernel signatures into
// constraints. A policy then chooses among the devices that they allow (OSDI'16
// paper, section 3.3; TensorFlow's Placer).
#ifndef LEAT_PARTITIONER_PLACER_H_
#define LEAT_PARTITIONER_PLACER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/policy.h"

namespace leat {

// Says how to place a graph. Is a plain value.
struct PlacerOptions {
  // If true, a request that no device satisfies falls back to another device of
  // the same task.
  bool allow_soft_placement = false;
  // Is the policy that chooses among the allowed devices. REQUIRES: not null.
  PlacementPolicy policy = nullptr;
  // Holds the tasks that run TensorFlow, such as "/job:ps/replica:0/task:0".
  // Their CPUs are assumed to have kernels for every registered op and all
  // types.
  std::vector<std::string> foreign_tasks = {};
  // Says how many nodes have been placed before and are not in the graph.
  int num_placed = 0;
};

// Assigns one of `devices` to every node that has none yet; nodes that have one
// keep it. Prefers the task of the first device.
//
// Colocated nodes get the same device: producers and consumers of reference and
// resource edges, and nodes that name each other in `_class` ("loc:@x").
// Control-flow nodes that only route values are placed on the devices of these
// values if their constraints allow it (ColocateControlFlow).
//
// A node is placed even if Leat has no kernel for its types, because a step
// that does not need the node can still run. If such a node or a node of its
// colocation group requests a job with foreign tasks, it gets the CPU of a
// foreign task, which may have the kernel. Otherwise it may get any device that
// the request allows. If no node of the group has a kernel and no device
// satisfies the request, the group gets another device of the requested task,
// or else of the cluster. A step that needs the node then fails.
//
// Returns INVALID_ARGUMENT naming a node, its request and the devices if the
// constraints of a colocation group contradict each other. However, the request
// of a node that takes a reference or a resource is ignored if it contradicts
// the requests of the other nodes.
absl::Status PlaceGraph(Graph& graph, absl::Span<const DeviceInfo> devices,
                        const PlacerOptions& options);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PLACER_H_
