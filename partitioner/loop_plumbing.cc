// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/loop_plumbing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"

namespace leat {
namespace {

// Implements MoveLoopPlumbing.
class LoopPlumbingMover {
 public:
  LoopPlumbingMover(Graph& graph, Frames& frames)
      : graph_(graph), frames_(frames), consumers_(graph) {}

  // A node is visited after its consumers, because a consumer may be an Enter
  // that moves, too.
  void Move(absl::Span<const NodeId> order) {
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Node& node = graph_.node(*it);
      if (!IsEnter(node) && !IsNextIteration(node)) continue;
      // A reference stays where its variable is.
      if (!IsRef(node.def->input_types[0])) MoveNode(*it);
    }
    RedirectControls();
  }

 private:
  // Moves the node, copies it for further devices, and makes each consumer take
  // the copy on its own device.
  void MoveNode(NodeId id) {
    std::vector<Use> uses(consumers_.Of(id).begin(), consumers_.Of(id).end());
    if (const auto it = more_uses_.find(id); it != more_uses_.end()) {
      uses.insert(uses.end(), it->second.begin(), it->second.end());
    }
    // If no consumer is on the node's own device, the node moves to the device
    // of the first use. Uses of the value are sorted before control edges.
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
      return std::pair(a.input == TensorId::kControl, a.node) <
             std::pair(b.input == TensorId::kControl, b.node);
    });
    const auto device_of = [&](const Use& use) {
      return graph_.node(use.node).device;
    };
    const int own = graph_.node(id).device;
    const bool is_used_here =
        std::any_of(uses.begin(), uses.end(),
                    [&](const Use& use) { return device_of(use) == own; });
    if (!uses.empty() && !is_used_here) {
      graph_.mutable_node(id).device = device_of(uses.front());
    }
    std::map<int, NodeId> copies = {{graph_.node(id).device, id}};
    for (const Use& use : uses) {
      const auto [copy, inserted] = copies.try_emplace(device_of(use), kNoNode);
      if (inserted) copy->second = Copy(id, device_of(use));
      if (copy->second != id) Redirect(use, id, copy->second);
    }
  }

  NodeId Copy(NodeId id, int device) {
    Node copy = graph_.node(id);
    auto def = std::make_shared<NodeDef>(*copy.def);
    def->name = graph_.UniqueName(absl::StrCat(def->name, "_copy"));
    copy.def = std::move(def);
    copy.device = device;
    for (int i = 0; i < copy.num_inputs(); ++i) {
      more_uses_[copy.inputs[i].node].push_back(
          {graph_.num_ids(), copy.inputs[i].index, i});
    }
    for (const NodeId control : copy.controls) {
      more_uses_[control].push_back(
          {graph_.num_ids(), TensorId::kControl, TensorId::kControl});
    }
    frames_.of_inputs.push_back(frames_.of_inputs[id]);
    frames_.of_outputs.push_back(frames_.of_outputs[id]);
    return graph_.AddUnchecked(std::move(copy));
  }

  void Redirect(const Use& use, NodeId from, NodeId to) {
    if (use.input == TensorId::kControl) {
      moved_controls_[use.node].emplace(from, to);
    } else {
      graph_.mutable_node(use.node).inputs[use.input].node = to;
    }
  }

  // Replaces the moved sources of each consumer's control edges, and sorts the
  // edges of a consumer only once. For k edges, sorting after each replacement
  // would take more than k^2 operations.
  void RedirectControls() {
    for (const auto& [id, moved] : moved_controls_) {
      auto& controls = graph_.mutable_node(id).controls;
      for (NodeId& control : controls) {
        const auto it = moved.find(control);
        if (it != moved.end()) control = it->second;
      }
      std::sort(controls.begin(), controls.end());
    }
  }

  Graph& graph_;
  Frames& frames_;
  const Consumers consumers_;
  // Maps producers to their uses by copies. consumers_ lacks these uses,
  // because it was made before the copies.
  absl::flat_hash_map<NodeId, std::vector<Use>> more_uses_;
  // For each consumer, maps the old sources of its control edges to the new
  // ones.
  absl::flat_hash_map<NodeId, absl::flat_hash_map<NodeId, NodeId>>
      moved_controls_;
};

}  // namespace

void MoveLoopPlumbing(absl::Span<const NodeId> order, Graph& graph,
                      Frames& frames) {
  LoopPlumbingMover(graph, frames).Move(order);
}

}  // namespace leat
