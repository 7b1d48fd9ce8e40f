// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NodeCost says what one run of a node costs on a certain device: time and
// memory, and where these numbers come from. Policies and the simulator decide
// by it.
#ifndef LEAT_PARTITIONER_COSTS_NODE_COST_H_
#define LEAT_PARTITIONER_COSTS_NODE_COST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace leat {

// Says where a cost comes from.
enum class CostOrigin : uint8_t {
  kMeasured,    // steps have run such a node on such a device
  kCalibrated,  // computed from the node's work and the device's rates
  kGuessed,     // the work or the rates were assumed
};

// Returns "measured", "calibrated" or "guessed".
absl::string_view Name(CostOrigin origin);

// Bounds the time of one run, to about 30 years. So no sum over the nodes of a
// graph becomes infinite, whatever sizes a graph or a peer claims.
inline constexpr double kMaxNodeSeconds = 1e9;

// Is a plain value. No number is negative, infinite or NaN.
struct NodeCost {
  // Is the time of one run if the node has `cores` cores for itself.
  double seconds = 0;
  // Is how many cores of its host the node uses at the same time.
  int cores = 1;
  // Says how often a step runs the node on average. Is not set if that was not
  // measured.
  std::optional<double> runs_per_step = {};
  CostOrigin origin = CostOrigin::kGuessed;
  // Holds the bytes that each output takes. An output that shares the bytes of
  // an input takes none.
  std::vector<double> output_bytes = {};
  // Is the memory that the kernel takes besides while it runs.
  double scratch_bytes = 0;
  // Is the memory that the node keeps between steps: a variable or a constant.
  double kept_bytes = 0;
  // Is the number of bytes of the first input, or of the first output if there
  // is no input. A transfer and a copy between memories move them.
  double moved_bytes = 0;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_NODE_COST_H_
