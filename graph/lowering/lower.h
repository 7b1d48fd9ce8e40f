// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LowerFunctions inlines the functions that nodes call. It replaces If and Case
// with Switch and Merge, While with the frames of a loop, and calls with the
// bodies of their functions. TensorFlow does the same before it places a graph
// (lower_if_op, lower_case_op, lower_while_op, inline_function_utils).
//
// A node `inner` of a called function gets the name `caller/inner`. A node of a
// branch or loop gets a name such as `caller/then/inner` or
// `caller/body/inner`. A node with the caller's name remains, so that a step
// can fetch or run it. This node is an IdentityN, or a NoOp if the caller has
// no outputs. It waits for the control outputs of the body. Every node of the
// body runs after the caller's control inputs. If a node of a body requests a
// device, the caller's device fills in the parts that this request leaves open.
// A node that requests no device gets the caller's device. But a node that
// takes a resource gets none, because it must run where the resource is.
//
// The body of a recursive function cannot be inlined. In its place comes a
// StatefulPartitionedCall with the attr kCallAtRunTime, whose kernel calls the
// function (kernels/function_caller.h).
#ifndef LEAT_GRAPH_LOWERING_LOWER_H_
#define LEAT_GRAPH_LOWERING_LOWER_H_

#include "absl/status/status.h"
#include "leat/graph/graph.h"
#include "leat/graph/lowering/lower_limits.h"

namespace leat {

// Is the attr of a PartitionedCall or StatefulPartitionedCall that is not
// lowered, because its kernel calls the function.
inline constexpr char kCallAtRunTime[] = "_call_at_run_time";

// Lowers `graph` until no node calls a function, except for nodes with the attr
// kCallAtRunTime. The functions remain in the library of the graph. Fails with
// INVALID_ARGUMENT, naming node and function, for
// - a function whose arguments or results do not have the number and the types
//   of the caller's inputs or outputs;
// - a function that Instantiate (instantiate.h) refuses;
// - a function body with invalid control flow.
// Fails with RESOURCE_EXHAUSTED if the graph would exceed a limit. After a
// failure, the content of `graph` is unspecified.
absl::Status LowerFunctions(Graph& graph, const LowerLimits& limits = {});

}  // namespace leat

#endif  // LEAT_GRAPH_LOWERING_LOWER_H_
