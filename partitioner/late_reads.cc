// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/late_reads.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/variable_ops.h"

namespace leat {
namespace {

// Limits the number of nodes through which a reference is followed back to its
// variable. These nodes can be a chain of updates, for example.
constexpr int kMaxChain = 1000;
constexpr size_t kBatch = 64;

// Describes what a step does with one variable.
struct Accesses {
  std::vector<NodeId> updates;  // all nodes that take the reference
  std::vector<NodeId> reads;    // Identities
};

bool IsReference(const Graph& graph, const Endpoint& endpoint) {
  return IsRef(graph.node(endpoint.node).output_type(endpoint.index));
}

// Follows a reference back to its variable and returns the variable. At each
// node on the way, follows the first input. Returns kNoNode if no variable is
// found.
NodeId VariableOf(const Graph& graph, Endpoint reference) {
  for (int i = 0; i < kMaxChain; ++i) {
    const Node& node = graph.node(reference.node);
    if (IsVariableOp(node.op())) return reference.node;
    if (node.inputs.empty() || !IsRef(node.def->input_types[0])) break;
    reference = node.inputs[0];
  }
  return kNoNode;
}

// Returns the variables that are both read and updated.
std::vector<Accesses> FindAccesses(const Graph& graph) {
  absl::flat_hash_map<NodeId, Accesses> by_variable;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!IsReference(graph, node.inputs[i])) continue;
      const bool may_update = IsRef(node.def->input_types[i]);
      if (!may_update && node.op() != "Identity") continue;
      const NodeId variable = VariableOf(graph, node.inputs[i]);
      if (variable == kNoNode) continue;
      Accesses& accesses = by_variable[variable];
      (may_update ? accesses.updates : accesses.reads).push_back(id);
    }
  }
  std::vector<Accesses> both;
  for (auto& [variable, accesses] : by_variable) {
    if (accesses.updates.empty() || accesses.reads.empty()) continue;
    both.push_back(std::move(accesses));
  }
  return both;
}

// Returns for each node a set of bits: bit i is set if the node runs after an
// update of `accesses[i]`.
std::vector<uint64_t> UpdatesBefore(const Graph& graph,
                                    const std::vector<NodeId>& order,
                                    absl::Span<const Accesses> accesses) {
  std::vector<uint64_t> updates(static_cast<size_t>(graph.num_ids()));
  for (size_t i = 0; i < accesses.size(); ++i) {
    for (const NodeId id : accesses[i].updates) {
      updates[static_cast<size_t>(id)] |= uint64_t{1} << i;
    }
  }
  std::vector<uint64_t> before(updates.size());
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    uint64_t bits = 0;
    const auto add = [&](NodeId from) {
      // An update in one iteration does not order the reads of the next one.
      if (IsNextIteration(graph.node(from))) return;
      const auto index = static_cast<size_t>(from);
      bits |= before[index] | updates[index];
    };
    for (const Endpoint& input : node.inputs) add(input.node);
    for (const NodeId control : node.controls) add(control);
    before[static_cast<size_t>(id)] = bits;
  }
  return before;
}

// Returns true if `consumer`, which takes the output of the Identity `read`,
// may take the reference instead. `consumer`, `read` and the producer of the
// reference must be on one device. `consumer` must not be a Merge or a node of
// a loop, because the result of such a node depends on which of its inputs are
// dead. The reference can be alive where the output of the Identity is dead.
bool MayReadLate(const Graph& graph, const Node& consumer, const Node& read) {
  return consumer.device == read.device &&
         graph.node(read.inputs[0].node).device == consumer.device &&
         !IsMerge(consumer) && !IsEnter(consumer) && !IsExit(consumer) &&
         !IsNextIteration(consumer);
}

// Makes `consumer` take the input of the Identity `read` instead of its output.
void ReadLate(const Node& read, NodeId read_id, NodeId consumer, Graph& graph) {
  for (Endpoint& input : graph.mutable_node(consumer).inputs) {
    if (input.node == read_id) input = read.inputs[0];
  }
  for (const NodeId control : read.controls) {
    graph.AddControl(control, consumer);
  }
}

}  // namespace

absl::Status ReadReferencesLate(Graph& graph) {
  const std::vector<Accesses> all = FindAccesses(graph);
  if (all.empty()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph));
  const Consumers consumers(graph);
  for (size_t begin = 0; begin < all.size(); begin += kBatch) {
    const auto batch = absl::MakeConstSpan(all).subspan(begin, kBatch);
    const std::vector<uint64_t> before = UpdatesBefore(graph, order, batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      for (const NodeId read_id : batch[i].reads) {
        const Node read = graph.node(read_id);
        for (const auto& use : consumers.Of(read_id)) {
          const bool is_late = (before[static_cast<size_t>(use.node)] >> i) & 1;
          if (use.output == TensorId::kControl || !is_late ||
              !MayReadLate(graph, graph.node(use.node), read)) {
            continue;
          }
          ReadLate(read, read_id, use.node, graph);
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
