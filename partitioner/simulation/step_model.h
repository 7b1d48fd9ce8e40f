// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepModel is a step as the simulator sees it: the nodes of all parts in one
// array, with the time that each takes and the place where it runs, and the
// messages between the parts. A node in a loop has a run for each iteration of
// the loop.
#ifndef LEAT_PARTITIONER_SIMULATION_STEP_MODEL_H_
#define LEAT_PARTITIONER_SIMULATION_STEP_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/node_cost.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/simulation/loops.h"

namespace leat {

// Says by which rules a node becomes ready and gives its outputs.
enum class NodeRole : uint8_t {
  kPlain,
  kMerge,
  kEnter,
  kConstantEnter,  // gives its output to all iterations
  kExit,
  kNextIteration,
  kControlTrigger,  // runs though its inputs are dead
  kLoopSwitch,      // decides whether its loop turns again
  kSend,
  kRecv,
};

// Says what a run of a node occupies.
enum class RunPlace : uint8_t {
  kHost,     // a core of the host
  kStream,   // a stream of the GPU
  kGpuLink,  // the link between the GPU and the memory of its host
};

// Describes a node, or a gap where a part has no node with this id.
struct ModelNode {
  double seconds = 0;  // of one run
  int32_t part = 0;
  int32_t loop = 0;         // of its inputs
  int32_t output_loop = 0;  // of its outputs
  int32_t first_run = 0;    // the index of its run in iteration 0 of the step
  // Is the number of edges that a run waits for in the first iteration after
  // the loop was entered, and in later ones. They differ for the Merge of a
  // loop.
  int32_t num_waits = 0;
  int32_t num_later_waits = 0;
  int32_t cores = 1;
  int32_t message = -1;  // of a _Send or _Recv
  int32_t peer = -1;     // the _Recv of a _Send
  NodeRole role = NodeRole::kPlain;
  RunPlace place = RunPlace::kHost;
  bool is_to_host = false;  // copies to the memory of the host
  bool exists = false;
  bool is_expensive = false;  // goes to the pool
  bool never_runs = false;    // no measured step has run it
  bool is_in_work = false;    // is a part of the work W of SimulatedStep
};

// Describes tensors that travel together. Each iteration of the loop has such a
// message.
struct ModelMessage {
  int32_t first_send = -1;  // index of a node
  int32_t from = 0;         // device, as an index into ClusterModel::devices()
  int32_t to = 0;
  int32_t link = ClusterModel::kNoLink;
  double bytes = 0;
  int32_t loop = 0;
  int32_t first_run = 0;  // the index of its first run among the messages
  int32_t num_sends = 0;
  std::vector<int32_t> recvs = {};
};

// Is immutable, apart from its construction. Borrows the parts and costs.
struct StepModel {
  // Makes the model of a step. Fails as Simulate does.
  static absl::StatusOr<StepModel> Create(
      const ClusterModel& cluster, absl::Span<const Partition> parts,
      absl::Span<const std::vector<NodeCost>> costs, int64_t max_runs);

  // Returns the node with an id in a part.
  int32_t NodeOf(size_t part, NodeId id) const { return first_node[part] + id; }
  NodeId IdOf(int32_t node) const {
    return node - first_node[nodes[node].part];
  }

  // Calls visit(use, consumer, consumer_iteration) for each edge that begins at
  // a node in `iteration`. The edge ends at the node `consumer` in
  // `consumer_iteration`. Iterations count over all entries of a loop.
  template <class Visit>
  void ForEachUse(int32_t node, int32_t iteration, Visit visit) const;

  Loops loops;
  std::vector<int32_t> device_of = {};    // by part
  std::vector<int32_t> first_node = {};   // by part: its node with id 0
  std::vector<Consumers> consumers = {};  // by part
  std::vector<ModelNode> nodes = {};
  std::vector<ModelMessage> messages = {};
  int32_t num_runs = 0;
  int32_t num_message_runs = 0;
};

template <class Visit>
void StepModel::ForEachUse(int32_t node, int32_t iteration, Visit visit) const {
  const ModelNode& from = nodes[node];
  const int32_t of_entry = loops.loop(from.loop).simulated_trips + 1;
  const int32_t of_inner = loops.loop(from.output_loop).simulated_trips + 1;
  const bool is_last = iteration % of_entry == of_entry - 1;
  int32_t begin = iteration;
  int32_t number = 1;
  switch (from.role) {
    case NodeRole::kNextIteration:
      if (is_last) return;
      begin = iteration + 1;
      break;
    case NodeRole::kConstantEnter:
      number = of_inner;
      [[fallthrough]];
    case NodeRole::kEnter:
      begin = iteration * of_inner;
      break;
    case NodeRole::kExit:
      if (!is_last) return;
      begin = iteration / of_entry;
      break;
    default:
      break;
  }
  for (const Use& use : consumers[from.part].Of(IdOf(node))) {
    for (int32_t i = begin; i < begin + number; ++i) {
      visit(use, NodeOf(from.part, use.node), i);
    }
  }
}

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_STEP_MODEL_H_
