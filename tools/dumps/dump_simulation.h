// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SimulateForDump predicts a step on a cluster model, and collects what
// graph-dump shows of the prediction.
#ifndef LEAT_TOOLS_DUMPS_DUMP_SIMULATION_H_
#define LEAT_TOOLS_DUMPS_DUMP_SIMULATION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/measured_costs.h"
#include "leat/partitioner/costs/node_cost.h"
#include "leat/partitioner/costs/part_shapes.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/simulation/simulated_step.h"

namespace leat {

// Describes a device in a simulated step.
struct DumpedDeviceUse {
  std::string name = {};
  std::string kind = {};
  int num_processors = 1;
  double busy_seconds = 0;  // summed over the processors
  double idle_seconds = 0;
  double peak_bytes = 0;
  double kept_bytes = 0;    // of variables and constants
  double memory_bytes = 0;  // what the device has
};

// Describes a node that takes long.
struct DumpedNodeCost {
  std::string name = {};
  std::string op = {};
  std::string device = {};
  double seconds = 0;  // of all its runs
  int64_t num_runs = 0;
  CostOrigin origin = CostOrigin::kGuessed;
};

// Describes a run of a node or a transfer on the critical path.
struct DumpedPathStep {
  // Is the name of the node, or of the node whose tensor travels.
  std::string name = {};
  std::string op = {};      // "" for a transfer
  std::string device = {};  // where the node runs or the tensor comes from
  std::string to = {};      // "" for a node
  double begin = 0;
  double end = 0;
  double bytes = 0;  // of a transfer
};

// Describes a simulated step. All times are in seconds.
struct DumpedSimulation {
  std::string cluster = {};  // the file of the cluster model
  double step_seconds = 0;
  double bound_seconds = 0;
  double work_seconds = 0;
  double critical_path_seconds = 0;
  double num_processors = 0;
  std::vector<DumpedDeviceUse> devices = {};
  int num_unused_devices = 0;
  int64_t num_transfers = 0;
  double transferred_bytes = 0;
  std::array<int64_t, 3> num_costs = {};       // by CostOrigin
  std::vector<DumpedNodeCost> costliest = {};  // at most 10
  // Holds the longest elements of the critical path, in the order of time, and
  // at most 1,000 of them.
  std::vector<DumpedPathStep> path = {};
  int64_t path_length = 0;  // with the elements that are left out
  std::vector<SimulatedLoop> loops = {};
};

// Returns the longest elements of a path, in their order.
std::vector<DumpedPathStep> LongestPathSteps(std::vector<DumpedPathStep> path,
                                             size_t max_steps);

// Simulates the step that was cut into `parts`, whose tensors have `shapes`.
// `cluster` is the name of the model's file. `measured` may be null. Fails as
// Simulate does.
absl::StatusOr<DumpedSimulation> SimulateForDump(
    absl::Span<const Partition> parts, absl::Span<const GraphShapes> shapes,
    const ClusterModel& model, std::string cluster,
    const MeasuredCosts* measured = nullptr);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_DUMP_SIMULATION_H_
