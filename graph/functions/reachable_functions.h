// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReachableFunctions finds the functions that a part of a graph may call, so
// that only these travel with the part to another task. It is stateless and
// thread-safe.
#ifndef LEAT_GRAPH_FUNCTIONS_REACHABLE_FUNCTIONS_H_
#define LEAT_GRAPH_FUNCTIONS_REACHABLE_FUNCTIONS_H_

#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns the functions of `library` that the nodes of `graph` name in their
// attrs or as their op, and those that these functions name in turn. Takes time
// in the sizes of the graph and the functions found.
FunctionLibrary ReachableFunctions(const Graph& graph,
                                   const FunctionLibrary& library);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTIONS_REACHABLE_FUNCTIONS_H_
