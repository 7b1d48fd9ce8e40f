// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LowerFunctions replaces If, Case, While and calls by Switch, Merge and the
// frames of loops, with the bodies of the functions inlined. TensorFlow does
// the same before it places a graph (lower_if_op, lower_case_op,
// lower_while_op, inline_function_utils).
//
// A node `inner` of a called function gets the name `caller/inner`. A node of a
// branch or loop gets a name such as `caller/then/inner` or
// `caller/body/inner`. A node with the caller's name remains, so that a step
// can fetch or run it. This node is an IdentityN, or a NoOp if the caller has
// no outputs. It waits for the control outputs of the body. Every node of the
// body runs after the caller's control inputs. A node of a body requests the
// caller's device, unless the node takes a resource, which decides where it
// runs. If the node itself requests a device, the parts of this device name
// override the same parts of the caller's device.
#ifndef LEAT_GRAPH_LOWERING_LOWER_H_
#define LEAT_GRAPH_LOWERING_LOWER_H_

#include "absl/status/status.h"
#include "leat/graph/graph.h"
#include "leat/graph/lowering/lower_limits.h"

namespace leat {

// Lowers `graph` until no node calls a function. The functions remain in the
// library of the graph. Fails with INVALID_ARGUMENT, naming node and function,
// for
// - a function whose arguments or results do not have the number and the types
//   of the caller's inputs or outputs;
// - a function that Instantiate (instantiate.h) refuses;
// - a function body with invalid control flow.
// Fails with RESOURCE_EXHAUSTED if the graph would exceed a limit. After a
// failure, the content of `graph` is unspecified.
absl::Status LowerFunctions(Graph& graph, const LowerLimits& limits = {});

}  // namespace leat

#endif  // LEAT_GRAPH_LOWERING_LOWER_H_
