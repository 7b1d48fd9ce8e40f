// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The checks of an untrusted graph that look at more than one node and its
// inputs. Import calls them; whoever changes a graph may, to find its own bugs.
// No check recurses or loops without bound.
#ifndef LEAT_GRAPH_GRAPH_VALIDATION_H_
#define LEAT_GRAPH_GRAPH_VALIDATION_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// INVALID_ARGUMENT naming a node for a cycle that is no loop and for everything
// that FindFrames (frames.h) refuses.
absl::Status ValidateControlFlow(const Graph& graph);

// A constant's tensor `value` must be of the type `dtype` that its consumers
// rely on: INVALID_ARGUMENT with both. OK while either is not known yet ("$T").
absl::Status CheckConstant(const AttrMap& attrs);

struct FunctionLimits {
  int max_nesting = 100;          // of functions calling functions
  int64_t max_nodes = 4'000'000;  // once every call is inlined
};

// Checks what functions call. INVALID_ARGUMENT for a function that reaches
// itself, for nesting above the limit, and, of the functions that a node of the
// graph reaches, for calls of functions and ops that do not exist. Functions
// that nothing reaches may use ops that this library does not have.
// RESOURCE_EXHAUSTED for a graph that inlining makes too large.
absl::Status ValidateFunctions(const Graph& graph,
                               const FunctionLimits& limits = {});

// Checks one body on its own: names, what inputs and returns refer to, cycles.
// INVALID_ARGUMENT naming function and node. Types are known only once the
// function is instantiated. Ops that are not known are passed over.
absl::Status ValidateBody(const Function& function, const OpRegistry& ops,
                          const FunctionLibrary& functions);

// Calls `visit(attr, function)` for every function that attrs declared by `op`
// name, also those inside other functions' attrs. Attrs that the op does not
// declare are annotations and name nothing; a null `op` declares all of them.
void ForEachFunctionRef(
    const OpDef* op, const AttrMap& attrs,
    absl::FunctionRef<void(const std::string&, const FunctionRef&)> visit);

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_VALIDATION_H_
