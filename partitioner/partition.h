// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartitionGraph cuts a placed graph into one graph per task or per device and
// inserts a _Send and a _Recv where an edge is cut (OSDI'16 paper, section
// 3.3). It is called twice: by task in PlanStep, and by device where a task
// compiles its graph (runtime/graph_runner.h).
#ifndef LEAT_PARTITIONER_PARTITION_H_
#define LEAT_PARTITIONER_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/bundle_limits.h"

namespace leat {

enum class PartitionBy { kTask, kDevice };

// Describes one part of a graph that was cut. Is a plain value.
struct Partition {
  std::string name = {};  // "/job:J/replica:R/task:T", or the full device name
  Graph graph;
};

// Cuts `graph` and returns the partitions that have nodes. Each node goes to
// the partition of its assigned device. Edges between partitions are cut:
//  - A tensor is sent once per destination device, even if it has several
//    consumers there.
//  - If a consumer takes the value of a reference, the value is read and sent
//    for this consumer alone, after everything else that the consumer waits
//    for.
//  - A control edge is sent as an empty tensor.
//  - Inside of a loop, the control edge that a consumer has from a control loop
//    (control_loops.h) is moved to its _Recvs.
//
// `devices` gives the incarnations of the devices. With kTask, tensors between
// tasks that are not among `foreign_tasks` travel in bundles (bundles.h) within
// the limits `bundles`. By default there are no bundles.
//
// The names of the tensors contain numbers that begin with `first_edge`
// ("edge_5_w/read"). They must differ between graphs that run in one step.
//
// Returns INVALID_ARGUMENT naming the node if it
//  - has no device, or a device that is not among `devices`,
//  - takes a reference from another partition, or
//  - takes a tensor from another partition inside of a loop and has no control
//    loop there.
// Fails as FindFrames does.
absl::StatusOr<std::vector<Partition>> PartitionGraph(
    Graph graph, PartitionBy by, absl::Span<const DeviceInfo> devices,
    absl::Span<const std::string> foreign_tasks = {},
    const BundleLimits& bundles = {}, int64_t first_edge = 0);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PARTITION_H_
