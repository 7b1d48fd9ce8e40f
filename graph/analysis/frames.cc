// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/frames.h"
#include "leat/graph/analysis/control_flow_ops.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"

namespace leat {
namespace {

absl::Status FrameError(const Node& node, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("node '", node.name(), "' (op ", node.op(), ") ", message));
}

// Visits the nodes in topological order and gives each node the frame of its
// inputs. At the end, checks the edges that lead from a NextIteration back into
// a Merge.
class FrameFinder {
 public:
  explicit FrameFinder(const Graph& graph) : graph_(graph) {
    result_.frames.emplace_back();
    result_.of_inputs.assign(graph.num_ids(), Frames::kRoot);
    result_.of_outputs.assign(graph.num_ids(), Frames::kRoot);
  }

  absl::StatusOr<Frames> Find() {
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                          TopologicalOrder(graph_));
    for (const NodeId id : order) LEAT_RETURN_IF_ERROR(Visit(id));
    for (const NodeId id : order) LEAT_RETURN_IF_ERROR(CheckBackEdges(id));
    return std::move(result_);
  }

 private:
  absl::Status Visit(NodeId id) {
    const Node& node = graph_.node(id);
    NodeId first = kNoNode;
    for (const Endpoint& input : node.inputs) {
      LEAT_RETURN_IF_ERROR(Join(id, input.node, /*is_data=*/true, first));
    }
    for (const NodeId control : node.controls) {
      LEAT_RETURN_IF_ERROR(Join(id, control, /*is_data=*/false, first));
    }
    const int32_t frame =
        first == kNoNode ? Frames::kRoot : result_.of_outputs[first];
    if (first == kNoNode && IsMerge(node)) {
      return FrameError(node, "closes a loop that nothing enters");
    }
    result_.of_inputs[id] = frame;
    LEAT_ASSIGN_OR_RETURN(result_.of_outputs[id], OutputFrame(node, frame));
    return absl::OkStatus();
  }

  // Checks that the outputs of `from` and of `first` are in the same frame.
  // Both are producers of `id`. If `first` is kNoNode, sets `first` to `from`.
  // Skips edges that close a loop.
  absl::Status Join(NodeId id, NodeId from, bool is_data, NodeId& first) {
    const Node& node = graph_.node(id);
    if (is_data && IsNextIteration(graph_.node(from))) {
      if (IsMerge(node)) return absl::OkStatus();  // closes the loop
      return FrameError(node, absl::StrCat("takes '", graph_.node(from).name(),
                                           "' (op NextIteration) as input, "
                                           "which only a Merge can do"));
    }
    if (first == kNoNode) first = from;
    const int32_t frame = result_.of_outputs[from];
    const int32_t expected = result_.of_outputs[first];
    if (frame == expected) return absl::OkStatus();
    return FrameError(
        node, absl::StrCat("has inputs from different frames: '",
                           graph_.node(first).name(), "' is in ",
                           Describe(expected), ", '", graph_.node(from).name(),
                           "' is in ", Describe(frame)));
  }

  absl::StatusOr<int32_t> OutputFrame(const Node& node, int32_t frame) {
    if (IsEnter(node)) return Open(node, frame);
    if (frame == Frames::kRoot) {
      if (IsExit(node)) {
        return FrameError(node, "leaves a frame that no Enter opens");
      }
      if (IsNextIteration(node)) {
        return FrameError(node, "is in no frame: no Enter leads to it");
      }
    }
    return IsExit(node) ? result_.frames[frame].parent : frame;
  }

  absl::StatusOr<int32_t> Open(const Node& node, int32_t parent) {
    const absl::StatusOr<std::string> name =
        node.attrs().Get<std::string>("frame_name");
    if (!name.ok()) return FrameError(node, name.status().message());
    if (name->empty()) return FrameError(node, "has an empty frame_name");
    const auto parallel =
        node.attrs().GetOr<int64_t>("parallel_iterations", 10);
    if (!parallel.ok() || *parallel < 1) {
      return FrameError(
          node, absl::StrCat("has parallel_iterations ", parallel.value_or(0),
                             ", but needs at least 1"));
    }
    const int32_t next = static_cast<int32_t>(result_.frames.size());
    const auto [it, inserted] =
        index_.try_emplace(std::make_pair(parent, *name), next);
    if (inserted) result_.frames.push_back({*name, parent});
    return it->second;
  }

  // If `id` is a Merge, checks that each NextIteration among its inputs is in
  // the frame of the Merge.
  absl::Status CheckBackEdges(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!IsMerge(node)) return absl::OkStatus();
    for (const Endpoint& input : node.inputs) {
      if (!IsNextIteration(graph_.node(input.node))) continue;
      const int32_t frame = result_.of_outputs[input.node];
      if (frame == result_.of_inputs[id]) continue;
      return FrameError(
          node, absl::StrCat("has inputs from different frames: it is in ",
                             Describe(result_.of_inputs[id]), ", '",
                             graph_.node(input.node).name(), "' is in ",
                             Describe(frame)));
    }
    return absl::OkStatus();
  }

  std::string Describe(int32_t frame) const {
    if (frame == Frames::kRoot) return "no frame";
    return absl::StrCat("frame '", result_.frames[frame].name, "'");
  }

  const Graph& graph_;
  Frames result_;
  absl::flat_hash_map<std::pair<int32_t, std::string>, int32_t> index_;
};

}  // namespace

absl::StatusOr<Frames> FindFrames(const Graph& graph) {
  return FrameFinder(graph).Find();
}

absl::Status CheckFrameDepth(const Frames& frames) {
  std::vector<int> depths;
  for (const Frame& frame : frames.frames) {  // parents come first
    depths.push_back(frame.parent < 0 ? 0 : depths[frame.parent] + 1);
    if (depths.back() <= kMaxFrameDepth) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("loop '", frame.name, "' is nested ", depths.back(),
                     " deep; the limit is ", kMaxFrameDepth));
  }
  return absl::OkStatus();
}

}  // namespace leat
