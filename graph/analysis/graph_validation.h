// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks untrusted graphs: their control flow, constants, function calls and
// function bodies. Import (graph/io/) calls these checks. Code that changes a
// graph may call them to check the result. No check recurses or loops without
// bound. The functions of this header are thread-safe.
#ifndef LEAT_GRAPH_ANALYSIS_GRAPH_VALIDATION_H_
#define LEAT_GRAPH_ANALYSIS_GRAPH_VALIDATION_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Fails with INVALID_ARGUMENT, naming the node, for a cycle that is not a loop
// and for every other error that FindFrames (frames.h) lists.
absl::Status ValidateControlFlow(const Graph& graph);

// Fails with INVALID_ARGUMENT, naming both types, if the tensor in the attr
// `value` of a constant is not of the type in its attr `dtype`. The consumers
// of the constant rely on `dtype`. Returns OK if the value of one of the two
// attrs is not known, because the attr is absent or a placeholder ("$T").
absl::Status CheckConstant(const AttrMap& attrs);

// Limits the functions of a graph.
struct FunctionLimits {
  int max_nesting = 100;          // how deep calls may nest
  int64_t max_nodes = 4'000'000;  // of the graph with every call inlined
};

// Checks the calls of functions. Fails with INVALID_ARGUMENT for calls nested
// deeper than the limit. The nesting ends at a call that leads back to a
// function from which it came, because such calls are made at run time. Fails
// with INVALID_ARGUMENT for a call of a function that does not exist, and with
// NOT_FOUND for an op that does not exist. These two checks skip functions that
// the graph never calls, directly or indirectly, because such functions may use
// ops that this library does not have. Fails with RESOURCE_EXHAUSTED if
// inlining all calls would make the graph too large.
absl::Status ValidateFunctions(const Graph& graph,
                               const FunctionLimits& limits = {});

// Checks the calls of functions as ValidateFunctions does, but only the calls
// of the nodes from `first` on. Sets `called` to the number of nodes that
// inlining these calls adds. Takes time in proportion to the later nodes and to
// the functions. REQUIRES: the earlier nodes are valid, inlining their calls
// adds `called_before` nodes, and the graph already had all functions that they
// call.
absl::Status ValidateAddedCalls(const Graph& graph, NodeId first,
                                int64_t called_before,
                                const FunctionLimits& limits, int64_t& called);

// Checks the body of one function by itself. Checks the names of its nodes and
// the tensors that its inputs and results refer to. Also checks that every
// cycle is a loop. Fails with INVALID_ARGUMENT, naming function and node. Does
// not check types, because they are known only when the function is
// instantiated. If an op is neither in `ops` nor the name of a function in
// `functions`, does not check the names of its outputs.
absl::Status ValidateBody(const Function& function, const OpRegistry& ops,
                          const FunctionLibrary& functions);

// Calls `visit(attr, function)` for every function that one of `attrs` names,
// and for every function that the attrs of these functions name. Skips attrs
// that `op` does not declare, because they are only annotations. If `op` is
// null, visits all attrs.
void ForEachFunctionRef(
    const OpDef* op, const AttrMap& attrs,
    absl::FunctionRef<void(const std::string&, const FunctionRef&)> visit);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_GRAPH_VALIDATION_H_
