// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/colocation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"

namespace leat {
namespace {

// Returns true for ops that may take resources from several devices: ops that
// call functions, and IdentityN, which only groups values.
bool MayMixDevices(const std::string& op) {
  static const auto& ops = *new absl::flat_hash_set<std::string>{
      "PartitionedCall", "StatefulPartitionedCall",
      "RemoteCall",      "For",
      "IdentityN",       "If",
      "StatelessIf",     "While",
      "StatelessWhile",  "Case",
      "StatelessCase"};
  return ops.contains(op);
}

// Returns true if input `i` is a reference or a resource whose device the node
// must share.
bool IsTiedTo(const Graph& graph, const Node& node, int i) {
  const Endpoint& input = node.inputs[i];
  const DType produced = graph.node(input.node).output_type(input.index);
  const bool is_reference = IsRef(produced) && IsRef(node.def->input_types[i]);
  return (is_reference || produced == DType::kResource) &&
         !MayMixDevices(node.op());
}

// Holds disjoint sets of node ids. The smallest id represents its set.
class DisjointSets {
 public:
  explicit DisjointSets(int size) : parent_(size) {
    for (int i = 0; i < size; ++i) parent_[i] = i;
  }
  NodeId Find(NodeId id) {
    while (parent_[id] != id) {
      parent_[id] = parent_[parent_[id]];
      id = parent_[id];
    }
    return id;
  }
  void Unite(NodeId a, NodeId b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<NodeId> parent_;
};

bool HasControlFlow(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    if (IsSwitch(graph.node(id)) || IsEnter(graph.node(id))) return true;
  }
  return false;
}

// Returns the consumer with the smallest id among those that take a value, or
// kNoNode if all uses are control edges.
NodeId FirstConsumer(absl::Span<const Use> uses) {
  NodeId first = kNoNode;
  for (const Use& use : uses) {
    if (use.input == TensorId::kControl) continue;
    if (first == kNoNode || use.node < first) first = use.node;
  }
  return first;
}

}  // namespace

absl::StatusOr<std::vector<NodeId>> ColocationGroups(const Graph& graph) {
  DisjointSets sets(graph.num_ids());
  absl::flat_hash_map<std::string, NodeId> first_of_class;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (IsTiedTo(graph, node, i)) sets.Unite(id, node.inputs[i].node);
    }
    if (!node.attrs().Has("_class")) continue;
    const absl::Status status =
        node.attrs().Get<std::vector<std::string>>("_class").status();
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("node '", node.name(), "': ", status.message()));
    }
    for (const std::string& name : ColocationClasses(node)) {
      const NodeId other = graph.Find(name);
      if (other != kNoNode) {
        sets.Unite(id, other);
      } else {
        sets.Unite(id, first_of_class.try_emplace(name, id).first->second);
      }
    }
  }
  std::vector<NodeId> groups(graph.num_ids(), kNoNode);
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (graph.Contains(id)) groups[id] = sets.Find(id);
  }
  return groups;
}

std::vector<std::string> ColocationClasses(const Node& node) {
  std::vector<std::string> names;
  if (!node.attrs().Has("_class")) return names;
  const auto classes = node.attrs().Get<std::vector<std::string>>("_class");
  if (!classes.ok()) return names;
  for (absl::string_view name : *classes) {
    if (absl::ConsumePrefix(&name, "loc:@")) names.emplace_back(name);
  }
  return names;
}

bool IsTiedToInput(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (IsTiedTo(graph, node, i)) return true;
  }
  return false;
}

absl::Status ColocateControlFlow(
    Graph& graph, absl::FunctionRef<bool(NodeId, int device)> may_be_on) {
  if (!HasControlFlow(graph)) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph));
  const Consumers consumers(graph);
  const auto move = [&](NodeId id, NodeId to) {
    const int device = graph.node(to).device;
    if (may_be_on(id, device)) graph.mutable_node(id).device = device;
  };
  // Here consumers are visited first, because the first consumer of a node may
  // be an Enter that moves too. Below, sources are visited first, because a
  // source may be a Switch that moves.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& node = graph.node(*it);
    if (!IsEnter(node) && !IsNextIteration(node)) continue;
    const NodeId first = FirstConsumer(consumers.Of(*it));
    if (first != kNoNode) move(*it, first);
  }
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (IsSwitch(node) || IsExit(node)) move(id, node.inputs[0].node);
  }
  return absl::OkStatus();
}

}  // namespace leat
