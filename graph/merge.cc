// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Adds the new nodes and functions of one graph to another one.
class Merger {
 public:
  Merger(const Graph& addition, Graph& base)
      : addition_(addition),
        base_(base),
        added_(base),
        map_(addition.num_ids(), kNoNode) {}

  absl::Status Run() {
    for (NodeId id = 0; id < addition_.num_ids(); ++id) {
      if (addition_.Contains(id)) LEAT_RETURN_IF_ERROR(MapNode(id));
    }
    for (NodeId id = 0; id < addition_.num_ids(); ++id) {
      if (addition_.Contains(id)) LEAT_RETURN_IF_ERROR(MapEdges(id));
    }
    for (const auto& [name, function] : addition_.functions().functions()) {
      const bool is_new = base_.functions().Find(name) == nullptr;
      LEAT_RETURN_IF_ERROR(base_.functions().Add(function));
      if (is_new) added_.functions.push_back(name);
    }
    for (const auto& [name, gradient] : addition_.functions().gradients()) {
      LEAT_RETURN_IF_ERROR(added_.AddGradient(name, gradient, base_));
    }
    return absl::OkStatus();
  }

  const GraphAddition& added() const { return added_; }

 private:
  // Maps node `id` of `addition_` to the node of the same name in `base_`. Adds
  // the node to `base_` if there is none. The edges of an added node still have
  // the ids of `addition_`.
  absl::Status MapNode(NodeId id) {
    const Node& node = addition_.node(id);
    // Copies of a graph share the NodeDefs and have the same ids, so most nodes
    // of a graph that has only grown need no search by name.
    const bool is_same = base_.Contains(id) && base_.node(id).def == node.def;
    map_[id] = is_same ? id : base_.Find(node.name());
    if (is_same) return absl::OkStatus();
    if (map_[id] == kNoNode) {
      map_[id] = base_.AddUnchecked(node);
      return absl::OkStatus();
    }
    const NodeDef& known = *base_.node(map_[id]).def;
    if (known.op == node.def->op && known.device == node.def->device &&
        known.attrs == node.def->attrs) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "node '", node.name(), "' (", node.op(),
        ") cannot be added: the graph has another node of that name (",
        known.op->name, ")"));
  }

  // Gives an added node its edges in `base_`. Checks that a node that was there
  // before has the same edges in both graphs.
  absl::Status MapEdges(NodeId id) {
    const Node& node = addition_.node(id);
    auto inputs = node.inputs;
    for (Endpoint& input : inputs) input.node = map_[input.node];
    auto controls = node.controls;
    for (NodeId& control : controls) control = map_[control];
    std::sort(controls.begin(), controls.end());
    Node& mapped = base_.mutable_node(map_[id]);
    if (map_[id] >= added_.first) {
      mapped.inputs = std::move(inputs);
      mapped.controls = std::move(controls);
      return absl::OkStatus();
    }
    if (mapped.inputs == inputs && mapped.controls == controls) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("node '", node.name(),
                     "' cannot be added: the graph has a node of that name "
                     "with other inputs"));
  }

  const Graph& addition_;
  Graph& base_;
  GraphAddition added_;
  std::vector<NodeId> map_;  // id in addition_ -> id in base_
};

}  // namespace

absl::StatusOr<GraphAddition> MergeGraph(const Graph& addition, Graph& base) {
  Merger merger(addition, base);
  const absl::Status status = merger.Run();
  if (status.ok()) return merger.added();
  merger.added().Undo(base);
  return status;
}

}  // namespace leat
