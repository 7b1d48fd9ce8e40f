// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Frames: the loops of a graph. Enter opens a frame, Exit leaves it, and what
// lies between runs once per iteration (TensorFlow's dynamic control flow).
#ifndef LEAT_GRAPH_FRAMES_H_
#define LEAT_GRAPH_FRAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

struct Frame {
  std::string name = {};  // frame_name of its Enters; "" for the root
  int32_t parent = -1;    // an index; -1 for the root
};

// Describes a graph as it was then; indexed by NodeId.
struct Frames {
  static constexpr int32_t kRoot = 0;

  std::vector<Frame> frames = {};       // parents before children
  std::vector<int32_t> of_inputs = {};  // the frame a node takes inputs from
  // The frame of its outputs: differs for Enter (the frame it opens) and Exit.
  std::vector<int32_t> of_outputs = {};

  bool HasLoops() const { return frames.size() > 1; }
};

// INVALID_ARGUMENT naming the node for a cycle that is no loop, an Exit or
// NextIteration outside of any frame, an Enter without a frame name, a Merge
// that nothing enters, a NextIteration that does not lead to a Merge, and a
// node whose inputs come from different frames. O(nodes + edges).
absl::StatusOr<Frames> FindFrames(const Graph& graph);

// How deep loops may nest where they are planned or run: ending a loop ends
// those inside of it, and each device that takes part in one takes part in all
// around it.
inline constexpr int kMaxFrameDepth = 256;

// INVALID_ARGUMENT naming the loop and the limit for one nested deeper.
absl::Status CheckFrameDepth(const Frames& frames);

bool IsEnter(const Node& node);          // Enter, RefEnter
bool IsExit(const Node& node);           // Exit, RefExit
bool IsMerge(const Node& node);          // Merge, RefMerge
bool IsSwitch(const Node& node);         // Switch, RefSwitch
bool IsNextIteration(const Node& node);  // NextIteration, RefNextIteration

}  // namespace leat

#endif  // LEAT_GRAPH_FRAMES_H_
