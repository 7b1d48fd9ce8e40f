// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LowerFunctions: If, Case, While and calls become Switch, Merge and the frames
// of loops, with the functions' bodies inlined, as TensorFlow does before it
// places a graph (lower_if_op, lower_case_op, lower_while_op,
// inline_function_utils).
//
// Nodes of a body are named `caller/inner`, those of branches
// `caller/then/inner`, `caller/body/inner` and so on. A node of the caller's
// name stays, an IdentityN, or a NoOp where there are no outputs, to be fetched
// or run; it waits for the body's control outputs. Control edges into the
// caller reach every node of the body; devices asked for in a body override the
// caller's field by field.
#ifndef LEAT_GRAPH_LOWER_H_
#define LEAT_GRAPH_LOWER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Refusals name them as those of ImportLimits (graph_def.h).
struct LowerLimits {
  int64_t max_nodes = 4'000'000;     // of the lowered graph
  int64_t max_outputs = 64'000'000;  // of those nodes, all together
  int64_t max_edges = 64'000'000;    // into those nodes, control edges included
  int max_nesting = 100;             // of functions calling functions

  friend bool operator==(const LowerLimits&, const LowerLimits&) = default;
};

// Lowers until no node calls a function; the functions stay in the library.
// INVALID_ARGUMENT naming node and function for functions that do not fit their
// caller in the number or types of tensors, for whatever Instantiate
// (instantiate.h) refuses, and for bodies that make no valid control flow;
// RESOURCE_EXHAUSTED above a limit. On failure `graph` is unspecified.
absl::Status LowerFunctions(Graph& graph, const LowerLimits& limits = {});

}  // namespace leat

#endif  // LEAT_GRAPH_LOWER_H_
