// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Simulate predicts a step: it lets the nodes of a cut graph run, in simulated
// time, by the rules of the executor. docs/planning.md explains the rules and
// their limits.
//
//   LEAT_ASSIGN_OR_RETURN(const SimulatedStep simulation,
//                         Simulate(model, parts, costs));
//   simulation.step_seconds;
//
// The result depends on nothing but the arguments. The simulation of n runs of
// nodes takes O(n log n) time and O(n) memory.
#ifndef LEAT_PARTITIONER_SIMULATION_SIMULATOR_H_
#define LEAT_PARTITIONER_SIMULATION_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/node_cost.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/simulation/simulated_step.h"

namespace leat {

struct SimulationOptions {
  // Bounds the number of runs of nodes. Loops that are longer are simulated
  // with fewer, longer iterations. A graph with more nodes is simulated, too,
  // with one iteration of each loop.
  int64_t max_runs = int64_t{1} << 22;
};

// Simulates one step. `parts` is the graph as PartitionGraph cut it, a part for
// each device, and `costs[i]` has the costs of `parts[i]`, by NodeId. Returns
// INVALID_ARGUMENT, naming the device or node, if the model does not have the
// device of a part, if a node never becomes ready, or if a bundle of _Recvs
// does not come from one task to one device. Returns RESOURCE_EXHAUSTED if
// there are too many runs. Fails as FindFrames does.
absl::StatusOr<SimulatedStep> Simulate(
    const ClusterModel& model, absl::Span<const Partition> parts,
    absl::Span<const std::vector<NodeCost>> costs,
    const SimulationOptions& options = {});

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_SIMULATOR_H_
