// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/infer_shapes.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"

namespace leat {
namespace {

// Limits the number of inference passes that make assumptions about the values
// that loops carry. If no such pass succeeds, a last pass makes no assumptions,
// so its result is always valid.
constexpr int kMaxRefinements = 3;

using Outputs = std::vector<std::vector<InferredOutput>>;

// Infers the shapes of a graph. At first, assumes that each iteration of a loop
// gives back the shapes that entered the loop. Relaxes the assumptions that an
// inference pass contradicts and repeats the pass. Assumptions that a whole
// pass confirms hold for every iteration, by induction.
class Inferrer {
 public:
  explicit Inferrer(const Graph& graph) : graph_(graph) {
    outputs_.resize(static_cast<size_t>(graph.num_ids()));
  }

  absl::StatusOr<Outputs> Run() {
    LEAT_ASSIGN_OR_RETURN(order_, TopologicalOrder(graph_));
    FindBackEdges();
    for (int i = 0; i < kMaxRefinements && !back_edges_.empty(); ++i) {
      // An assumption may have caused the error. The graph may still be valid,
      // because a loop may run zero times. The pass without assumptions decides
      // whether the graph is valid.
      if (!InferAll().ok()) break;
      if (Holds()) return std::move(outputs_);
    }
    for (auto& [edge, assumed] : back_edges_) assumed = InferredOutput();
    is_seeded_ = true;
    LEAT_RETURN_IF_ERROR(InferAll());
    return std::move(outputs_);
  }

 private:
  // Holds a Merge, and the index of its input that comes from the previous
  // iteration.
  using BackEdge = std::pair<NodeId, int>;

  void FindBackEdges() {
    std::vector<bool> seen(outputs_.size(), false);
    for (const NodeId id : order_) {
      const Node& node = graph_.node(id);
      seen[id] = true;
      for (int i = 0; i < node.num_inputs() && IsMerge(node); ++i) {
        if (!seen[node.inputs[i].node]) back_edges_.try_emplace({id, i});
      }
    }
  }

  absl::Status InferAll() {
    for (const NodeId id : order_) LEAT_RETURN_IF_ERROR(Infer(id));
    is_seeded_ = true;
    return absl::OkStatus();
  }

  absl::Status Infer(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<const InferredOutput*> inputs;
    inputs.reserve(node.inputs.size());
    for (int i = 0; i < node.num_inputs(); ++i) {
      const auto assumed =
          IsMerge(node) ? back_edges_.find({id, i}) : back_edges_.end();
      if (assumed == back_edges_.end()) {
        inputs.push_back(&OutputAt(node.inputs[i]));
        continue;
      }
      if (!is_seeded_) assumed->second = WhatEnters(id);
      inputs.push_back(&assumed->second);
    }
    LEAT_ASSIGN_OR_RETURN(outputs_[id],
                          InferNode(*node.def->op, node.name(), node.attrs(),
                                    std::move(inputs), node.num_outputs()));
    return absl::OkStatus();
  }

  const InferredOutput& OutputAt(const Endpoint& endpoint) const {
    return outputs_[endpoint.node][endpoint.index];
  }

  // Returns the shape and handle of the value that enters the loop at `merge`.
  // Leaves out the value itself, because iterations change it.
  InferredOutput WhatEnters(NodeId merge) const {
    const Node& node = graph_.node(merge);
    InferredOutput result;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (back_edges_.contains({merge, i})) continue;
      result.shape = OutputAt(node.inputs[i]).shape;
      result.handle = OutputAt(node.inputs[i]).handle;
      break;
    }
    return result;
  }

  // Returns true if the last pass confirmed all assumptions. Relaxes the
  // assumptions that the pass contradicted.
  bool Holds() {
    bool holds = true;
    for (auto& [edge, assumed] : back_edges_) {
      const InferredOutput& actual =
          OutputAt(graph_.node(edge.first).inputs[edge.second]);
      PartialShape relaxed = Relax(assumed.shape, actual.shape);
      if (assumed.handle && !SameHandle(assumed, actual)) {
        assumed.handle.reset();
        holds = false;
      }
      if (relaxed == assumed.shape) continue;
      assumed.shape = std::move(relaxed);
      holds = false;
    }
    return holds;
  }

  const Graph& graph_;
  std::vector<NodeId> order_;
  Outputs outputs_;
  absl::flat_hash_map<BackEdge, InferredOutput> back_edges_;
  bool is_seeded_ = false;
};

}  // namespace

absl::StatusOr<std::vector<std::vector<InferredOutput>>> InferShapes(
    const Graph& graph) {
  return Inferrer(graph).Run();
}

}  // namespace leat
