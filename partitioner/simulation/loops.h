// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Loops holds the loops of a step that is simulated. A loop may have nodes in
// several parts; its name says which frames of the parts belong together.
#ifndef LEAT_PARTITIONER_SIMULATION_LOOPS_H_
#define LEAT_PARTITIONER_SIMULATION_LOOPS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/analysis/frames.h"
#include "leat/partitioner/costs/node_cost.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/simulation/simulated_step.h"

namespace leat {

// Describes a loop, or what is outside of all loops.
struct LoopModel {
  std::string name = {};
  int32_t parent = -1;  // -1 for what is outside of all loops
  double trips = 1;     // how often it turns each time that it is entered
  bool is_assumed = false;
  double turns = 1;  // how often it turns in the whole step, in all entries
  int32_t simulated_trips = 1;
  // Is the number of iterations in the step. Each entry has simulated_trips + 1
  // of them: in the last one, only the condition is evaluated.
  int32_t num_iterations = 1;
  double weight = 1;  // how many real iterations a simulated one stands for
};

// Is thread-compatible.
class Loops {
 public:
  static constexpr int32_t kNone = 0;

  // Finds the loops of all parts, and how often each of them turns. Lowers the
  // numbers of simulated iterations until the nodes together have at most
  // `max_runs` runs, if that is possible. Fails as FindFrames does, and with
  // RESOURCE_EXHAUSTED if there are more than 2^31 runs.
  static absl::StatusOr<Loops> Find(
      absl::Span<const Partition> parts,
      absl::Span<const std::vector<NodeCost>> costs, int64_t max_runs);

  const std::vector<LoopModel>& loops() const { return loops_; }
  const LoopModel& loop(int32_t i) const { return loops_[i]; }
  // Return the loop that the inputs or the outputs of a node belong to.
  int32_t OfInputs(size_t part, NodeId node) const {
    return of_inputs_[part].empty() ? kNone : of_inputs_[part][node];
  }
  int32_t OfOutputs(size_t part, NodeId node) const {
    return of_outputs_[part].empty() ? kNone : of_outputs_[part][node];
  }
  // Returns what the result of the simulation says about the loops.
  std::vector<SimulatedLoop> Summary() const;

 private:
  absl::Status AddPart(const Graph& graph);
  void SetTrips(absl::Span<const Partition> parts,
                absl::Span<const std::vector<NodeCost>> costs);
  absl::Status Shorten(absl::Span<const Partition> parts, int64_t max_runs);
  // Computes the numbers of iterations and the weights. Returns the number of
  // runs of all nodes.
  double CountIterations(const std::vector<int64_t>& num_nodes);

  std::vector<LoopModel> loops_ = {LoopModel{.name = "", .simulated_trips = 0}};
  absl::flat_hash_map<std::pair<int32_t, std::string>, int32_t> index_;
  // Are by part and NodeId. Are empty for a part without loops.
  std::vector<std::vector<int32_t>> of_inputs_;
  std::vector<std::vector<int32_t>> of_outputs_;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_LOOPS_H_
