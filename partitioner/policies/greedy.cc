// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's choice: the first candidate, but nodes without inputs go where
// all their consumers are, and nodes that only look at a tensor's shape, or
// pass it on, stay with it (tensorflow-protocol.md, 6.2).
#include <algorithm>

#include "leat/core/status_macros.h"
#include "leat/graph/consumers.h"
#include "leat/partitioner/policy.h"

namespace leat::policies::greedy {
namespace {

class Greedy {
 public:
  explicit Greedy(const PlacementProblem& problem)
      : problem_(problem),
        graph_(*problem.graph),
        consumers_(graph_),
        chosen_(problem.groups.size(), -1) {}

  absl::StatusOr<std::vector<int>> Place() {
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                          TopologicalOrder(graph_));
    std::vector<NodeId> generators;
    for (NodeId id : order) {
      if (IsFree(id) && IsGenerator(id)) {
        generators.push_back(id);
      } else {
        PlaceNode(id, IsFree(id) && FollowsInput(id) ? DeviceOfInput(id) : -1);
      }
    }
    for (NodeId id : generators) PlaceNode(id, CommonDeviceOfConsumers(id));
    return std::move(chosen_);
  }

 private:
  const PlacementGroup& GroupOf(NodeId id) const {
    return problem_.groups[problem_.group_of[id]];
  }
  int DeviceOf(NodeId id) const { return chosen_[problem_.group_of[id]]; }

  // Nothing ties the node to others or to a device.
  bool IsFree(NodeId id) const {
    const PlacementGroup& group = GroupOf(id);
    return group.num_nodes == 1 && !group.is_constrained && group.placed < 0;
  }

  bool IsGenerator(NodeId id) const {
    const Node& node = graph_.node(id);
    return node.num_inputs() == 0 && node.num_outputs() == 1 &&
           !IsRef(node.output_type(0)) && !consumers_.Of(id).empty();
  }

  bool FollowsInput(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.num_inputs() != 1) return false;
    const std::string& op = node.op();
    return op == "Shape" || op == "Size" || op == "Rank" || op == "Identity";
  }

  int DeviceOfInput(NodeId id) const {
    return DeviceOf(graph_.node(id).inputs[0].node);
  }

  int CommonDeviceOfConsumers(NodeId id) const {
    int common = -1;
    for (const Use& use : consumers_.Of(id)) {
      const int device = DeviceOf(use.node);
      if (device < 0 || (common >= 0 && device != common)) return -1;
      common = device;
    }
    return common;
  }

  void PlaceNode(NodeId id, int preferred) {
    int& chosen = chosen_[problem_.group_of[id]];
    if (chosen >= 0) return;
    const PlacementGroup& group = GroupOf(id);
    const std::vector<int>& candidates = problem_.candidates[group.candidates];
    if (group.placed >= 0) {
      chosen = group.placed;
    } else if (std::find(candidates.begin(), candidates.end(), preferred) !=
               candidates.end()) {
      chosen = preferred;
    } else {
      chosen = candidates.front();
    }
  }

  const PlacementProblem& problem_;
  const Graph& graph_;
  const Consumers consumers_;
  std::vector<int> chosen_;  // by group
};

absl::StatusOr<std::vector<int>> Place(const PlacementProblem& problem) {
  return Greedy(problem).Place();
}

}  // namespace

void Register(PolicyRegistry& registry) { registry.Add("greedy", &Place); }

}  // namespace leat::policies::greedy
