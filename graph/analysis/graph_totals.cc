// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/graph_totals.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

// Holds the OpDefs of the ops that make loops. So Contains need not compare
// names.
class LoopOps {
 public:
  explicit LoopOps(const OpRegistry& ops) {
    for (const char* name : {"Exit", "NextIteration", "RefExit",
                             "RefNextIteration", "Enter", "RefEnter"}) {
      if (const OpDef* op = ops.Find(name)) ops_.insert(op);
    }
  }
  bool Contains(const Node& node) const { return ops_.contains(node.def->op); }

 private:
  absl::flat_hash_set<const OpDef*> ops_;
};

// Returns a graph that holds the nodes of `graph` with the ids `first` and
// higher. Node `first` + i gets the id i. If these nodes use an earlier node, a
// stand-in outside of all loops replaces the earlier node. REQUIRES: no node
// with the id `first` or higher was removed.
Graph TailOf(const Graph& graph, NodeId first) {
  static const OpDef& earlier_op = *new OpDef{.name = "Earlier"};
  Graph tail(graph.ops());
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    tail.AddUnchecked({.def = graph.node(id).def});
  }
  absl::flat_hash_map<NodeId, NodeId> earlier;
  const auto map = [&](NodeId id) {
    if (id >= first) return id - first;
    const auto [it, inserted] = earlier.try_emplace(id, kNoNode);
    if (inserted) {
      const NodeDef& def = *graph.node(id).def;
      it->second =
          tail.AddUnchecked({.def = std::make_shared<const NodeDef>(NodeDef{
                                 .name = def.name, .op = &earlier_op})});
    }
    return it->second;
  };
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    for (const Endpoint& input : graph.node(id).inputs) {
      const Endpoint mapped{map(input.node), input.index};
      tail.mutable_node(id - first).inputs.push_back(mapped);
    }
    for (const NodeId control : graph.node(id).controls) {
      tail.AddControl(map(control), id - first);
    }
  }
  return tail;
}

// Says which part of a graph must be validated after nodes were added to it.
enum class Part : uint8_t { kNone, kAdded, kWhole };

Part PartToValidate(const Graph& graph, NodeId first,
                    const GraphTotals& before) {
  const LoopOps loop_ops(graph.ops());
  const bool has_loops = !before.in_loops.empty();
  Part part = Part::kNone;
  const auto look_at_edge = [&](NodeId from, NodeId to) {
    if (from >= to && part == Part::kNone) part = Part::kAdded;
    if (has_loops && before.in_loops.contains(from)) part = Part::kWhole;
  };
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const Node& node = graph.node(id);
    for (const Endpoint& input : node.inputs) look_at_edge(input.node, id);
    for (const NodeId control : node.controls) look_at_edge(control, id);
    if (!loop_ops.Contains(node)) continue;
    if (part == Part::kNone) part = Part::kAdded;
    if (IsEnter(node) && before.frame_names.contains(FrameName(node))) {
      part = Part::kWhole;  // the node may be in an older loop
    }
  }
  return part;
}

}  // namespace

void GraphTotals::Add(GraphTotals extension) {
  nodes += extension.nodes;
  edges += extension.edges;
  outputs += extension.outputs;
  called_nodes += extension.called_nodes;
  in_loops.merge(extension.in_loops);
  frame_names.merge(extension.frame_names);
}

void CountNodes(const Graph& graph, NodeId first, GraphTotals& totals) {
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const Node& node = graph.node(id);
    ++totals.nodes;
    totals.edges +=
        static_cast<int64_t>(node.inputs.size() + node.controls.size());
    totals.outputs += node.num_outputs();
  }
}

void CountFunction(const Function& function, GraphTotals& totals) {
  totals.nodes += static_cast<int64_t>(function.nodes.size());
  for (const FunctionNode& node : function.nodes) {
    totals.edges += static_cast<int64_t>(node.inputs.size());
  }
}

std::string FrameName(const Node& enter) {
  return enter.attrs().Get<std::string>("frame_name").value_or("");
}

GraphTotals TotalsOf(const Graph& graph) {
  GraphTotals totals;
  CountNodes(graph, 0, totals);
  for (const auto& [name, function] : graph.functions().functions()) {
    CountFunction(*function, totals);
  }
  ValidateAddedControlFlow(graph, 0, {}, totals).IgnoreError();
  if (graph.functions().empty()) return totals;
  ValidateAddedCalls(graph, 0, /*called_before=*/0,
                     {.max_nesting = std::numeric_limits<int>::max(),
                      .max_nodes = std::numeric_limits<int64_t>::max()},
                     totals.called_nodes)
      .IgnoreError();
  return totals;
}

absl::Status ValidateAddedControlFlow(const Graph& graph, NodeId first,
                                      const GraphTotals& before,
                                      GraphTotals& added) {
  const Part part = PartToValidate(graph, first, before);
  if (part == Part::kNone) return absl::OkStatus();
  const NodeId begin = part == Part::kAdded ? first : 0;
  LEAT_ASSIGN_OR_RETURN(const Frames frames,
                        FindFrames(begin == 0 ? graph : TailOf(graph, begin)));
  if (!frames.HasLoops()) return absl::OkStatus();
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    if (frames.of_outputs[id - begin] == Frames::kRoot) continue;
    added.in_loops.insert(id);
    if (IsEnter(graph.node(id))) {
      added.frame_names.insert(FrameName(graph.node(id)));
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
