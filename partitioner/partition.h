// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Partition: cuts a placed graph into one graph per task or per device and puts
// a _Send and a _Recv where an edge is cut (OSDI'16 paper, section 3.3). Called
// twice: by task in the plan, by device where the task's graph is compiled.
#ifndef LEAT_PARTITIONER_PARTITION_H_
#define LEAT_PARTITIONER_PARTITION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"

namespace leat {

enum class PartitionBy { kTask, kDevice };

struct Partition {
  std::string name = {};  // "/job:J/replica:R/task:T", or the device
  Graph graph;
};

// Every node goes to the partition of its assigned device. A tensor crosses
// once per destination device, however many consumers it has there, but a
// reference once per consumer, read after what that waits for; a control
// edge crosses as an empty tensor. Inside of a loop, the control edge that a
// consumer has from a control loop (control_loops.h) goes to its _Recvs.
// `devices` give the incarnations. Cut by task, tensors between tasks that are
// not among `foreign_tasks` come in bundles (bundles.h).
// INVALID_ARGUMENT naming the node when it has no device, when its device is
// not among `devices`, when a reference would have to cross, or a tensor in a
// loop without a control loop there.
absl::StatusOr<std::vector<Partition>> PartitionGraph(
    Graph graph, PartitionBy by, absl::Span<const DeviceInfo> devices,
    absl::Span<const std::string> foreign_tasks = {});

}  // namespace leat

#endif  // LEAT_PARTITIONER_PARTITION_H_
