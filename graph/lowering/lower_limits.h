// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LowerLimits limits the size of the graph that LowerFunctions (lower.h) makes.
#ifndef LEAT_GRAPH_LOWERING_LOWER_LIMITS_H_
#define LEAT_GRAPH_LOWERING_LOWER_LIMITS_H_

#include <cstdint>

namespace leat {

// Limits the lowered graph. Errors name these limits in the same way as the
// limits in ImportLimits (graph_def.h).
struct LowerLimits {
  int64_t max_nodes = 4'000'000;     // of the lowered graph
  int64_t max_outputs = 64'000'000;  // of all these nodes together
  int64_t max_edges = 64'000'000;    // into these nodes, control edges included
  int max_nesting = 100;             // how deep function calls may nest

  friend bool operator==(const LowerLimits&, const LowerLimits&) = default;
};

}  // namespace leat

#endif  // LEAT_GRAPH_LOWERING_LOWER_LIMITS_H_
