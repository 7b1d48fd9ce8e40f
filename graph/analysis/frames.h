// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Frames are the loops of a graph (OSDI'16 paper, section 3.4; TensorFlow's
// dynamic control flow). An Enter opens a frame, an Exit leaves it, and the
// nodes between them run once per iteration. The functions of this header are
// thread-safe.
#ifndef LEAT_GRAPH_ANALYSIS_FRAMES_H_
#define LEAT_GRAPH_ANALYSIS_FRAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// Describes one loop. The first frame, the root, stands for the nodes outside
// of all loops.
struct Frame {
  std::string name = {};  // the attr frame_name of its Enters; "" for the root
  int32_t parent = -1;    // index of the frame around it; -1 for the root
};

// Holds the frames of a graph, and the frame of each node. A Frames describes
// the graph as it was when FindFrames was called.
struct Frames {
  static constexpr int32_t kRoot = 0;

  std::vector<Frame> frames = {};  // parents before children
  // Holds, for each NodeId, the frame that the inputs of the node come from.
  std::vector<int32_t> of_inputs = {};
  // Holds, for each NodeId, the frame of the outputs of the node. This frame
  // differs from the frame of the inputs for an Enter, which opens a frame, and
  // for an Exit, which leaves one.
  std::vector<int32_t> of_outputs = {};

  bool HasLoops() const { return frames.size() > 1; }
};

// Finds the frames of a graph in O(nodes + edges) time. Fails with
// INVALID_ARGUMENT, naming the node, for
//  - a cycle that is not a loop;
//  - an Exit or NextIteration outside of any frame;
//  - an Enter without a frame name or with parallel_iterations below 1;
//  - a Merge that closes a loop that nothing enters;
//  - a node that takes the output of a NextIteration and is not a Merge;
//  - a node whose inputs come from different frames.
absl::StatusOr<Frames> FindFrames(const Graph& graph);

// Is the limit on how deep loops may nest. The partitioner checks the limit
// when it adds control loops, and the runtime checks it when it compiles a
// program. There are two reasons for the limit. Destroying a loop destroys the
// loops inside of it by recursion, which needs stack. And a device that takes
// part in a loop must also take part in all loops around it, so deep nesting
// makes the program of that device large.
inline constexpr int kMaxFrameDepth = 256;

// Fails with INVALID_ARGUMENT, naming the loop and the limit, for a loop that
// is nested deeper than kMaxFrameDepth.
absl::Status CheckFrameDepth(const Frames& frames);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_FRAMES_H_
