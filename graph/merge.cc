// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/merge.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Adds the new nodes of `addition` to `base`. The edges of the new nodes still
// refer to nodes by their ids in `addition`. For each new node, appends its id
// in `addition` to `added`. Returns a map from the ids in `addition` to the ids
// in `base`.
absl::StatusOr<std::vector<NodeId>> MapNodes(const Graph& addition, Graph& base,
                                             std::vector<NodeId>& added) {
  std::vector<NodeId> map(addition.num_ids(), kNoNode);
  for (NodeId id = 0; id < addition.num_ids(); ++id) {
    if (!addition.Contains(id)) continue;
    const Node& node = addition.node(id);
    map[id] = base.Find(node.name());
    if (map[id] == kNoNode) {
      map[id] = base.AddUnchecked(node);
      added.push_back(id);
      continue;
    }
    const NodeDef& known = *base.node(map[id]).def;
    if (known.op != node.def->op || known.device != node.def->device ||
        known.attrs != node.def->attrs) {
      return absl::InvalidArgumentError(absl::StrCat(
          "node '", node.name(), "' (", node.op(),
          ") cannot be added: the graph has another node of that name (",
          known.op->name, ")"));
    }
  }
  return map;
}

// Returns the node with its edges mapped from `addition` to `base`.
Node MapEdges(Node node, const std::vector<NodeId>& map) {
  for (Endpoint& input : node.inputs) input.node = map[input.node];
  for (NodeId& control : node.controls) control = map[control];
  return node;
}

}  // namespace

absl::StatusOr<Graph> MergeGraphs(const Graph& base, const Graph& addition) {
  Graph merged = base;
  std::vector<NodeId> added;
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> map,
                        MapNodes(addition, merged, added));
  for (NodeId id : added) {
    merged.mutable_node(map[id]) = MapEdges(addition.node(id), map);
  }
  for (NodeId id = 0; id < addition.num_ids(); ++id) {
    if (!addition.Contains(id)) continue;
    const Node mapped = MapEdges(addition.node(id), map);
    const Node& node = merged.node(map[id]);
    if (mapped.inputs != node.inputs || mapped.controls != node.controls) {
      return absl::InvalidArgumentError(
          absl::StrCat("node '", mapped.name(),
                       "' cannot be added: the graph has a node of that name "
                       "with other inputs"));
    }
  }
  for (const auto& [name, function] : addition.functions().functions()) {
    LEAT_RETURN_IF_ERROR(merged.functions().Add(function));
  }
  return merged;
}

}  // namespace leat
