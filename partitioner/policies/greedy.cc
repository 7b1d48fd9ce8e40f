// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The policy "greedy" chooses as TensorFlow's placer does: each node gets its
// first candidate, with two exceptions. A node without inputs is placed where
// all its consumers are. A node that only looks at a tensor's shape, or that
// passes the tensor on, is placed where the tensor is.
//
// If there are GPUs, a node that would gain nothing from a GPU is also placed
// on the device of its first input.
//
// There are two differences from TensorFlow. The first concerns the consumers
// of a node without inputs. A consumer that only looks at the shape of the
// node's output is ignored if nothing ties this consumer to a device or to
// other nodes. The second is that a placeholder with a default counts as a node
// without inputs, so that a fed tensor is placed where it is used.
#include <algorithm>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/policy.h"

namespace leat::policies::greedy {
namespace {

// These values are used in place of a device. kAnywhere means that no device is
// preferred, and kSeveral means that the consumers are on several devices.
constexpr int kAnywhere = -1;
constexpr int kSeveral = -2;

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
    std::vector<NodeId> deferred;
    is_deferred_.assign(graph_.num_ids(), false);
    for (NodeId id : order) {
      if (IsFree(id) && IsDeferred(id)) {
        is_deferred_[id] = true;
        deferred.push_back(id);
      } else {
        PlaceNode(
            id, IsFree(id) && FollowsInput(id) ? DeviceOfInput(id) : kAnywhere);
      }
    }
    FindWishes(deferred);
    for (NodeId id : deferred) {
      PlaceNode(id, FollowsInput(id) ? DeviceOfInput(id) : wish_[id]);
    }
    return std::move(chosen_);
  }

 private:
  const PlacementGroup& GroupOf(NodeId id) const {
    return problem_.groups[problem_.group_of[id]];
  }
  int DeviceOf(NodeId id) const { return chosen_[problem_.group_of[id]]; }

  // Returns true if nothing ties the node to other nodes or to a device.
  bool IsFree(NodeId id) const {
    const PlacementGroup& group = GroupOf(id);
    return group.num_nodes == 1 && !group.is_constrained && group.placed < 0;
  }

  // Returns true for a node that has consumers, gives one value, and takes no
  // inputs. A placeholder with a default counts as a node without inputs.
  bool IsGenerator(NodeId id) const {
    const Node& node = graph_.node(id);
    return (node.num_inputs() == 0 || node.op() == "PlaceholderWithDefault") &&
           node.num_outputs() == 1 && !IsRef(node.output_type(0)) &&
           !consumers_.Of(id).empty();
  }

  // Returns true if the node must be placed after its consumers, or after the
  // consumers of its input.
  bool IsDeferred(NodeId id) const {
    return IsGenerator(id) ||
           (FollowsInput(id) && is_deferred_[graph_.node(id).inputs[0].node]);
  }

  // Returns true for a node that is placed on the device of its input.
  bool FollowsInput(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.num_inputs() == 0) return false;
    if (node.num_inputs() == 1 &&
        (node.op() == "Identity" || ReadsShapeOnly(node))) {
      return true;
    }
    return GainsNothingFromGpu(id);
  }

  // Returns true for a node that may be on a CPU or on a GPU, but that does
  // nothing on a GPU: it passes its input on, or computes with shapes in memory
  // of the host. On the device of its input it causes no copies.
  bool GainsNothingFromGpu(NodeId id) const {
    const std::vector<int>& candidates =
        problem_.candidates[GroupOf(id).candidates];
    if (problem_.devices[candidates.front()].type ==
        problem_.devices[candidates.back()].type) {
      return false;
    }
    const Node& node = graph_.node(id);
    const KernelSignature* const on_gpu =
        graph_.ops().FindSignature(node.op(), kGpu, node.attrs());
    return on_gpu != nullptr && (on_gpu->int32_on_host || on_gpu->runs_on_host);
  }

  // Returns true for a node that only looks at the shape of its input.
  static bool ReadsShapeOnly(const Node& node) {
    const std::string& op = node.op();
    return op == "Shape" || op == "Size" || op == "Rank";
  }

  int DeviceOfInput(NodeId id) const {
    return DeviceOf(graph_.node(id).inputs[0].node);
  }

  // For each deferred node, finds the device where all its consumers are. If a
  // deferred node passes its input on, its consumers also count as consumers of
  // the input.
  void FindWishes(const std::vector<NodeId>& deferred) {
    wish_.assign(graph_.num_ids(), kAnywhere);
    for (auto it = deferred.rbegin(); it != deferred.rend(); ++it) {
      wish_[*it] = CommonDeviceOfConsumers(*it);
    }
  }

  // Returns the device where all consumers are. Returns kSeveral if they are on
  // several devices, and kAnywhere if no consumer counts.
  int CommonDeviceOfConsumers(NodeId id) const {
    int common = kAnywhere;
    for (const Use& use : consumers_.Of(id)) {
      int device = DeviceOf(use.node);
      if (is_deferred_[use.node]) {
        if (ReadsShapeOnly(graph_.node(use.node))) continue;
        device = wish_[use.node];
        if (device == kAnywhere) continue;
      }
      if (common != kAnywhere && device != common) return kSeveral;
      common = device;
    }
    return common;
  }

  // Chooses a device for the node's group, if none has been chosen yet. The
  // device is the one from an earlier placement, if there was one. Otherwise it
  // is `preferred` if that device is allowed, and the first candidate if it is
  // not.
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
  std::vector<int> chosen_;        // by group
  std::vector<bool> is_deferred_;  // by NodeId
  std::vector<int> wish_;          // by NodeId
};

absl::StatusOr<std::vector<int>> Place(const PlacementProblem& problem) {
  return Greedy(problem).Place();
}

}  // namespace

void Register(PolicyRegistry& registry) { registry.Add("greedy", &Place); }

}  // namespace leat::policies::greedy
