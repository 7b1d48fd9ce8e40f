// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/control_loops.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/wire_names.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/frames.h"
#include "leat/partitioner/internal_node.h"
#include "leat/partitioner/loop_plumbing.h"

namespace leat {
namespace {

// Calls `visit(producer)` for every edge into `node`.
template <class Visitor>
void ForEachProducer(const Node& node, Visitor visit) {
  for (const Endpoint& input : node.inputs) visit(input.node);
  for (const NodeId control : node.controls) visit(control);
}

bool IsLoopCond(const Node& node) { return node.op() == "LoopCond"; }

// Returns true for a node that does not give a value in every iteration. An
// Enter without the attr is_constant gives a value in the first iteration only.
// A NextIteration gives a value in all later iterations.
bool IsIrregular(const Node& node) {
  return IsNextIteration(node) ||
         (IsEnter(node) &&
          !node.attrs().GetOr<bool>("is_constant", false).value_or(false));
}

// Finds the nodes that do not run in every iteration of their frame. Such a
// node depends on an irregular node (IsIrregular), and no Merge of an Enter and
// a NextIteration is in between. Returns for each node, by NodeId, the
// irregular node on which it depends, or kNoNode if the node runs in every
// iteration.
std::vector<NodeId> FindIrregular(const Graph& graph,
                                  const std::vector<NodeId>& order) {
  std::vector<NodeId> because(graph.num_ids(), kNoNode);
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (IsExit(node)) continue;
    const bool closes_loop =
        IsMerge(node) &&
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](const Endpoint& input) {
                      return IsNextIteration(graph.node(input.node));
                    });
    const auto visit = [&](NodeId from, bool is_merged) {
      const Node& producer = graph.node(from);
      // The Merge of an Enter and a NextIteration has a value in every
      // iteration.
      const bool completes_loop = is_merged && IsIrregular(producer);
      // But the Enter's input may have no value in some iteration of the outer
      // frame. Then the Merge has no value there either.
      const bool inherits =
          because[from] != kNoNode && (!is_merged || IsEnter(producer));
      if (inherits) {
        because[id] = because[from];
      } else if (IsIrregular(producer) && !completes_loop) {
        because[id] = from;
      }
    };
    for (const Endpoint& input : node.inputs) visit(input.node, closes_loop);
    for (const NodeId control : node.controls) visit(control, false);
  }
  return because;
}

// Implements AddControlLoops.
class ControlLoopAdder {
 public:
  explicit ControlLoopAdder(Graph& graph) : graph_(graph) {}

  absl::Status Run() {
    LEAT_ASSIGN_OR_RETURN(frames_, FindFrames(graph_));
    if (!frames_.HasLoops()) return absl::OkStatus();
    LEAT_RETURN_IF_ERROR(CheckFrameDepth(frames_));
    LEAT_ASSIGN_OR_RETURN(std::vector<NodeId> order, TopologicalOrder(graph_));
    MoveLoopPlumbing(order, graph_, frames_);
    num_ids_ = graph_.num_ids();
    LEAT_ASSIGN_OR_RETURN(order, TopologicalOrder(graph_));
    irregular_ = FindIrregular(graph_, order);
    DescribeFrames();
    FindCrossings();
    std::sort(places_.begin(), places_.end());  // puts parents before children
    for (const Place& place : places_) LEAT_RETURN_IF_ERROR(AddLoop(place));
    return ControlConsumers();
  }

 private:
  // Identifies a frame on one device, by the indices of the frame and of the
  // device.
  using Place = std::pair<int32_t, int>;

  // Describes the control loop of a place.
  struct ControlLoop {
    // Holds the two ends of an edge that needs the control loop, for error
    // messages.
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    NodeId merge = kNoNode;  // its Merge, set by AddLoop
  };

  // Describes what is known about a frame.
  struct FrameInfo {
    NodeId enter = kNoNode;            // one of its Enters
    NodeId predicate = kNoNode;        // its LoopCond
    NodeId other_predicate = kNoNode;  // a LoopCond with another input
  };

  // Fills infos_. Adds the places that have a NextIteration to driven_.
  void DescribeFrames() {
    infos_.resize(frames_.frames.size());
    for (NodeId id = 0; id < num_ids_; ++id) {
      if (!graph_.Contains(id)) continue;
      const Node& node = graph_.node(id);
      if (IsEnter(node)) infos_[frames_.of_outputs[id]].enter = id;
      const int32_t frame = frames_.of_inputs[id];
      if (frame == Frames::kRoot) continue;
      if (IsNextIteration(node)) driven_.insert({frame, node.device});
      if (!IsLoopCond(node)) continue;
      FrameInfo& info = infos_[frame];
      if (info.predicate == kNoNode) {
        info.predicate = id;
      } else if (node.inputs != graph_.node(info.predicate).inputs) {
        info.other_predicate = id;
      }
    }
  }

  // Finds all places that need a control loop.
  void FindCrossings() {
    for (NodeId id = 0; id < num_ids_; ++id) {
      if (!graph_.Contains(id)) continue;
      const int32_t frame = frames_.of_inputs[id];
      if (frame == Frames::kRoot) continue;
      const Node& node = graph_.node(id);
      ForEachProducer(node, [&](NodeId from) {
        const int source = graph_.node(from).device;
        if (source == node.device) return;
        Need({frame, node.device}, from, id);
        // The sending device must start every iteration of the frame, and of
        // the frames around it, too.
        for (int32_t f = frame;
             f != Frames::kRoot && sending_.insert({f, source}).second;
             f = frames_.frames[f].parent) {
          if (!driven_.contains({f, source})) Need({f, source}, from, id);
        }
      });
    }
  }

  // Notes that `place` needs a control loop because of the edge from `from` to
  // `to`. The Enter of a control loop takes its input from the device's control
  // loop in the enclosing frame. So the device needs a control loop in every
  // enclosing frame as well.
  void Need(Place place, NodeId from, NodeId to) {
    while (place.first != Frames::kRoot) {
      ControlLoop loop;
      loop.from = from;
      loop.to = to;
      if (!loops_.emplace(place, loop).second) return;
      places_.push_back(place);
      driven_.insert(place);
      place.first = frames_.frames[place.first].parent;
    }
  }

  absl::Status LoopError(const Place& place, absl::string_view message) const {
    const ControlLoop& loop = loops_.at(place);
    return absl::InvalidArgumentError(absl::StrCat(
        "loop '", frames_.frames[place.first].name, "' spans devices ('",
        graph_.node(loop.from).name(), "' on ",
        graph_.AssignedDevice(loop.from), ", '", graph_.node(loop.to).name(),
        "' on ", graph_.AssignedDevice(loop.to), ") but ", message));
  }

  // Returns kNoNode if `id` gives a value in every iteration. Otherwise returns
  // the irregular node that is the reason.
  NodeId WhyIrregular(NodeId id) const {
    return IsIrregular(graph_.node(id)) ? id : irregular_[id];
  }

  std::string Irregularity(NodeId id, NodeId why) const {
    return absl::StrCat("'", graph_.node(id).name(),
                        "' does not run in every iteration, because of '",
                        graph_.node(why).name(), "' (op ",
                        graph_.node(why).op(), ")");
  }

  // Adds the control loop of `place`. REQUIRES: the device's control loop in
  // the enclosing frame, if that is a loop, has been added.
  absl::Status AddLoop(const Place& place) {
    const auto& [frame, device] = place;
    const FrameInfo& info = infos_[frame];
    if (info.predicate == kNoNode) {
      return LoopError(place, "has no LoopCond: nothing says when it ends");
    }
    if (info.other_predicate != kNoNode) {
      return LoopError(
          place, absl::StrCat("has two predicates: LoopCond '",
                              graph_.node(info.predicate).name(), "' and '",
                              graph_.node(info.other_predicate).name(), "'"));
    }
    if (const NodeId why = WhyIrregular(info.predicate); why != kNoNode) {
      return LoopError(place, Irregularity(info.predicate, why));
    }
    LEAT_ASSIGN_OR_RETURN(const Endpoint entered, EnterInput(place));
    LEAT_ASSIGN_OR_RETURN(
        const int64_t parallel,
        graph_.node(info.enter).attrs().Get<int64_t>("parallel_iterations"));
    LEAT_ASSIGN_OR_RETURN(const NodeId enter,
                          Add("Enter", "enter", place,
                              {{"T", DType::kFloat},
                               {"frame_name", frames_.frames[frame].name},
                               {"is_constant", false},
                               {"parallel_iterations", parallel}},
                              {entered}));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId merge,
        Add("Merge", "merge", place, {{"T", DType::kFloat}, {"N", int64_t{2}}},
            {Endpoint{enter, 0}, Endpoint{enter, 0}}));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId choice,
        Add("Switch", "switch", place, {{"T", DType::kFloat}},
            {Endpoint{merge, 0}, Endpoint{info.predicate, 0}}));
    LEAT_ASSIGN_OR_RETURN(const NodeId next,
                          Add("NextIteration", "next", place,
                              {{"T", DType::kFloat}}, {Endpoint{choice, 1}}));
    // The Merge gets its second input only now, because the NextIteration had
    // to be added first.
    graph_.mutable_node(merge).inputs[1] = {next, 0};
    if (graph_.node(info.predicate).device != device) {
      graph_.AddControl(merge, choice);
    }
    loops_.at(place).merge = merge;
    return absl::OkStatus();
  }

  // Returns the input for the Enter of the control loop. If the frame is inside
  // of another frame, the input is the Merge of the device's control loop
  // there. Otherwise it is an empty constant.
  absl::StatusOr<Endpoint> EnterInput(const Place& place) {
    const int32_t parent = frames_.frames[place.first].parent;
    if (parent != Frames::kRoot) {
      return Endpoint{loops_.at({parent, place.second}).merge, 0};
    }
    LEAT_ASSIGN_OR_RETURN(const NodeId constant,
                          Add("Const", "const", place,
                              {{"dtype", DType::kFloat},
                               {"value", Tensor::Of<float>(Shape{0}, {})}},
                              {}));
    return Endpoint{constant, 0};
  }

  // Adds a node of the control loop of `place`, named after the predicate.
  absl::StatusOr<NodeId> Add(absl::string_view op, absl::string_view what,
                             const Place& place, AttrMap attrs,
                             absl::Span<const Endpoint> inputs) {
    const Node& predicate = graph_.node(infos_[place.first].predicate);
    NodeDef def;
    def.name = graph_.UniqueName(
        absl::StrCat(kControlLoopPrefix, predicate.name(), "/", what));
    def.attrs = std::move(attrs);
    LEAT_ASSIGN_OR_RETURN(
        const NodeId id,
        AddInternalNode(op, std::move(def), place.second, graph_));
    graph_.mutable_node(id).inputs.assign(inputs.begin(), inputs.end());
    return id;
  }

  // Adds a control edge from the control loop's Merge to each node in a loop
  // that takes a tensor from another device.
  absl::Status ControlConsumers() {
    for (NodeId id = 0; id < num_ids_; ++id) {
      if (!graph_.Contains(id)) continue;
      const int32_t frame = frames_.of_inputs[id];
      if (frame == Frames::kRoot) continue;
      const Node& node = graph_.node(id);
      bool crosses = false;
      NodeId irregular = kNoNode;
      ForEachProducer(node, [&](NodeId from) {
        if (graph_.node(from).device == node.device) return;
        crosses = true;
        if (WhyIrregular(from) != kNoNode) irregular = from;
      });
      if (!crosses) continue;
      const Place place(frame, node.device);
      if (irregular != kNoNode) {
        return LoopError(place,
                         Irregularity(irregular, WhyIrregular(irregular)));
      }
      graph_.AddControl(loops_.at(place).merge, id);
    }
    return absl::OkStatus();
  }

  Graph& graph_;
  Frames frames_;
  std::vector<NodeId> irregular_;  // what FindIrregular returned
  NodeId num_ids_ = 0;             // ids before control loops were added
  std::vector<FrameInfo> infos_;   // by frame
  absl::flat_hash_map<Place, ControlLoop> loops_;
  std::vector<Place> places_;  // the keys of loops_
  // Holds the places that have a NextIteration, or will get one with a control
  // loop. The NextIteration starts every iteration after the first.
  absl::flat_hash_set<Place> driven_;
  // Holds the places that are known to send. These places, and all frames
  // around them on the same device, are in driven_.
  absl::flat_hash_set<Place> sending_;
};

bool IsOnOneDevice(const Graph& graph) {
  int device = -1;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    if (device < 0) device = graph.node(id).device;
    if (graph.node(id).device != device) return false;
  }
  return true;
}

}  // namespace

absl::Status AddControlLoops(Graph& graph) {
  if (IsOnOneDevice(graph)) return absl::OkStatus();
  return ControlLoopAdder(graph).Run();
}

bool IsControlLoopMerge(const Node& node) {
  return IsMerge(node) && absl::StartsWith(node.name(), kControlLoopPrefix);
}

}  // namespace leat
