// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReachableFunctions finds the functions that a part of a graph may call. Only
// these functions are sent to another task together with the part.
// ReachableFunctions is stateless and thread-safe.
#ifndef LEAT_GRAPH_FUNCTIONS_REACHABLE_FUNCTIONS_H_
#define LEAT_GRAPH_FUNCTIONS_REACHABLE_FUNCTIONS_H_

#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns the functions of `library` that the nodes of `graph` name in their
// attrs or as their op. Also returns all functions that the returned functions
// name, and their gradients. Takes time in proportion to the sizes of the graph
// and of the returned functions.
FunctionLibrary ReachableFunctions(const Graph& graph,
                                   const FunctionLibrary& library);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTIONS_REACHABLE_FUNCTIONS_H_
