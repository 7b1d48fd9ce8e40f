// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/reduce_cross_task_edges.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"

namespace leat {
namespace {

// Implements ReduceCrossTaskEdges.
class CrossTaskEdgeReducer {
 public:
  explicit CrossTaskEdgeReducer(Graph& graph) : graph_(graph) {}

  // Finds the task of each device. Returns false if there is only one task.
  absl::StatusOr<bool> FindTasks() {
    absl::flat_hash_map<std::string, int> tasks;
    for (const std::string& name : graph_.devices()) {
      LEAT_ASSIGN_OR_RETURN(const DeviceName device, DeviceName::Parse(name));
      const int next = static_cast<int>(tasks.size());
      devices_.push_back(
          {.task =
               tasks.try_emplace(TaskOf(device).ToString(), next).first->second,
           .type = device.type.value_or("")});
    }
    return tasks.size() > 1;
  }

  // Copies small constants to the tasks that use them.
  void CopyConstants() {
    const Consumers consumers(graph_);
    const int num_ids = graph_.num_ids();
    for (NodeId id = 0; id < num_ids; ++id) {
      if (!graph_.Contains(id) || !IsSmallConstant(graph_.node(id))) continue;
      int kept = 0;
      for (const Use& use : consumers.Of(id)) {
        if (IsCopiedFor(id, use)) {
          // CopyFor may move the graph's nodes in memory, so it is called
          // before mutable_node.
          const NodeId copy = CopyFor(id, use);
          graph_.mutable_node(use.node).inputs[use.input] = {copy, 0};
        } else {
          ++kept;
        }
      }
      // A constant that never had consumers is a target, so it stays.
      if (kept == 0 && !consumers.Of(id).empty()) graph_.Remove(id);
    }
  }

  // Removes the NoOps that wait for other tasks and that no node waits for.
  absl::Status DropGroups() {
    LEAT_ASSIGN_OR_RETURN(std::vector<NodeId> order, TopologicalOrder(graph_));
    std::vector<int> num_consumers(static_cast<size_t>(graph_.num_ids()));
    // Says for each NodeId whether the node waits for a node of another task,
    // directly or through NoOps.
    std::vector<bool> crosses(static_cast<size_t>(graph_.num_ids()));
    for (const NodeId id : order) {
      const Node& node = graph_.node(id);
      for (const Endpoint& input : node.inputs) ++num_consumers[input.node];
      for (const NodeId control : node.controls) {
        ++num_consumers[control];
        if (TaskOfNode(control) != TaskOfNode(id) ||
            (IsGroup(graph_.node(control)) && crosses[control])) {
          crosses[id] = true;
        }
      }
    }
    std::reverse(order.begin(), order.end());
    for (const NodeId id : order) {
      const Node& node = graph_.node(id);
      if (!IsGroup(node) || num_consumers[id] > 0 || !crosses[id]) continue;
      for (const NodeId control : node.controls) --num_consumers[control];
      graph_.Remove(id);
    }
    return absl::OkStatus();
  }

 private:
  struct DeviceTraits {
    int task = 0;
    std::string type = {};
  };

  static bool IsGroup(const Node& node) { return node.op() == "NoOp"; }

  int TaskOfNode(NodeId id) const {
    return devices_[graph_.node(id).device].task;
  }

  // Returns true for a small constant that has no control inputs.
  static bool IsSmallConstant(const Node& node) {
    if (node.op() != "Const" || !node.controls.empty()) return false;
    const auto value = node.attrs().Get<Tensor>("value");
    return value.ok() && IsPlainBytes(value->dtype()) &&
           static_cast<int64_t>(value->num_bytes()) <= kMaxCopiedBytes;
  }

  // Returns true if the consumer in `use` gets a copy of constant `id`. The
  // consumer must take the value on another task, on a device of the same type.
  // A device of another type may have no kernel for the constant.
  bool IsCopiedFor(NodeId id, const Use& use) const {
    return use.input >= 0 && TaskOfNode(use.node) != TaskOfNode(id) &&
           devices_[graph_.node(use.node).device].type ==
               devices_[graph_.node(id).device].type;
  }

  // Returns the copy of constant `id` on the device of the consumer in `use`.
  // Adds the copy when it is first needed.
  NodeId CopyFor(NodeId id, const Use& use) {
    const int device = graph_.node(use.node).device;
    const auto [copy, is_new] = copies_.try_emplace({id, device}, kNoNode);
    if (!is_new) return copy->second;
    Node node = graph_.node(id);
    NodeDef def = *node.def;
    def.name = graph_.UniqueName(absl::StrCat(def.name, "/copy"));
    def.device = graph_.devices()[device];
    node.def = std::make_shared<const NodeDef>(std::move(def));
    node.device = device;
    return copy->second = graph_.AddUnchecked(std::move(node));
  }

  Graph& graph_;
  std::vector<DeviceTraits> devices_;  // by index into the graph's devices
  // Holds the copies, by constant and device.
  absl::flat_hash_map<std::pair<NodeId, int>, NodeId> copies_;
};

}  // namespace

absl::Status ReduceCrossTaskEdges(Graph& graph) {
  CrossTaskEdgeReducer reducer(graph);
  LEAT_ASSIGN_OR_RETURN(const bool has_several, reducer.FindTasks());
  if (!has_several) return absl::OkStatus();
  reducer.CopyConstants();
  return reducer.DropGroups();
}

}  // namespace leat
