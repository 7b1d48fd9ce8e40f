// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/consumers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/graph/analysis/control_flow_ops.h"

namespace leat {
namespace {

// Calls `visit(producer, output, input)` for every edge into `node`.
template <class Visitor>
void ForEachEdge(const Node& node, Visitor visit) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    visit(node.inputs[i].node, node.inputs[i].index, i);
  }
  for (const NodeId control : node.controls) {
    visit(control, TensorId::kControl, TensorId::kControl);
  }
}

// Sorts the nodes of a graph depth first. If the ids are in topological order
// already, the nodes stay in the order of their ids. Uses an explicit stack
// instead of recursion, because a client can make chains of nodes of any
// length.
class Sorter {
 public:
  explicit Sorter(const Graph& graph)
      : graph_(graph), states_(graph.num_ids(), State::kNew) {}

  absl::StatusOr<std::vector<NodeId>> Sort() {
    order_.reserve(graph_.num_nodes());
    for (NodeId root = 0; root < graph_.num_ids(); ++root) {
      if (graph_.Contains(root) && states_[root] == State::kNew) Push(root);
      while (!stack_.empty()) {
        const NodeId next = NextInput(stack_.back());
        if (next == kNoNode) {
          states_[stack_.back().node] = State::kDone;
          order_.push_back(stack_.back().node);
          stack_.pop_back();
        } else if (states_[next] == State::kNew) {
          Push(next);
        } else if (states_[next] == State::kOpen) {
          return CycleError(next);
        }
      }
    }
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    NodeId node = kNoNode;
    int32_t next = 0;  // index into the inputs followed by the controls
    bool is_merge = false;
  };

  void Push(NodeId id) {
    states_[id] = State::kOpen;
    stack_.push_back({id, 0, IsMerge(graph_.node(id))});
  }

  // Returns the next node that must come before frame.node, or kNoNode after
  // the last one.
  NodeId NextInput(Frame& frame) {
    const Node& node = graph_.node(frame.node);
    while (true) {
      const int position = frame.next++;
      const int control = position - node.num_inputs();
      if (control >= static_cast<int>(node.controls.size())) return kNoNode;
      const NodeId from =
          control < 0 ? node.inputs[position].node : node.controls[control];
      if (!graph_.Contains(from)) continue;
      const bool closes_loop =
          frame.is_merge && control < 0 && IsNextIteration(graph_.node(from));
      if (!closes_loop) return from;
    }
  }

  // Returns an error that describes the cycle. The cycle is the part of the
  // stack from the top down to `id`.
  absl::Status CycleError(NodeId id) const {
    constexpr int kShown = 8;
    const std::string& name = graph_.node(id).name();
    std::string path = name;
    auto it = stack_.rbegin();
    for (int i = 0; i < kShown && it->node != id; ++i, ++it) {
      absl::StrAppend(&path, " -> ", graph_.node(it->node).name());
    }
    absl::StrAppend(&path, it->node == id ? " -> " : " -> ... -> ", name);
    return absl::InvalidArgumentError(absl::StrCat(
        "the graph has a cycle through node '", name, "': ", path));
  }

  const Graph& graph_;
  std::vector<State> states_;
  std::vector<Frame> stack_;
  std::vector<NodeId> order_;
};

}  // namespace

Consumers::Consumers(const Graph& graph) : offsets_(graph.num_ids() + 1) {
  // Counts the uses of each node. Then sums up the counts, so that offsets_[id]
  // is the position in uses_ at which the uses of `id` end. Finally stores the
  // uses, from the last to the first. Each stored use moves the offset down by
  // 1, so at the end offsets_[id] is the position at which the uses of `id`
  // begin.
  const NodeId num_ids = graph.num_ids();
  for (NodeId id = 0; id < num_ids; ++id) {
    ForEachEdge(graph.node(id), [&](NodeId from, int32_t, int32_t) {
      if (graph.Contains(from)) ++offsets_[from];
    });
  }
  int32_t end = 0;
  for (int32_t& offset : offsets_) offset = end += offset;
  uses_.resize(static_cast<size_t>(end));
  for (NodeId id = num_ids - 1; id >= 0; --id) {
    ForEachEdge(graph.node(id),
                [&](NodeId from, int32_t output, int32_t input) {
                  if (graph.Contains(from))
                    uses_[--offsets_[from]] = {id, output, input};
                });
  }
}

absl::StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph) {
  return Sorter(graph).Sort();
}

std::vector<bool> NeededBy(const Graph& graph, absl::Span<const NodeId> roots) {
  std::vector<bool> reached(graph.num_ids());
  std::vector<NodeId> stack;
  const auto reach = [&](NodeId id, int32_t = 0, int32_t = 0) {
    if (!graph.Contains(id) || reached[id]) return;
    reached[id] = true;
    stack.push_back(id);
  };
  for (const NodeId root : roots) reach(root);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    ForEachEdge(graph.node(id), reach);
  }
  return reached;
}

}  // namespace leat
