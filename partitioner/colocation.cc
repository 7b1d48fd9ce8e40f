// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/colocation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

// Ops that may take resources from several devices: functions that are lowered,
// and nodes that only group.
bool MayMixDevices(const std::string& op) {
  static const auto& ops = *new absl::flat_hash_set<std::string>{
      "PartitionedCall", "StatefulPartitionedCall",
      "IdentityN",       "If",
      "StatelessIf",     "While",
      "StatelessWhile",  "Case",
      "StatelessCase"};
  return ops.contains(op);
}

// Disjoint sets over node ids; the smallest id represents its set.
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

}  // namespace

absl::StatusOr<std::vector<NodeId>> ColocationGroups(const Graph& graph) {
  DisjointSets sets(graph.num_ids());
  absl::flat_hash_map<std::string, NodeId> first_of_class;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const DType produced =
          graph.node(node.inputs[i].node).output_type(node.inputs[i].index);
      const bool is_reference =
          IsRef(produced) && IsRef(node.def->input_types[i]);
      if ((is_reference || produced == DType::kResource) &&
          !MayMixDevices(node.op())) {
        sets.Unite(id, node.inputs[i].node);
      }
    }
    if (!node.attrs().Has("_class")) continue;
    auto classes = node.attrs().Get<std::vector<std::string>>("_class");
    if (!classes.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "node '", node.name(), "': ", classes.status().message()));
    }
    for (absl::string_view name : *classes) {
      if (!absl::ConsumePrefix(&name, "loc:@")) continue;
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

}  // namespace leat
