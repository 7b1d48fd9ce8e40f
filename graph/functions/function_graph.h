// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionGraph holds the body of a function as a Graph, so that it can be
// changed like any other graph and then written back as a function.
// Thread-compatible.
#ifndef LEAT_GRAPH_FUNCTIONS_FUNCTION_GRAPH_H_
#define LEAT_GRAPH_FUNCTIONS_FUNCTION_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns output `index` of a node as the nodes of a function name it:
// "node:output:0", where "output" is the name of the op's argument.
absl::StatusOr<std::string> OutputText(const Node& node, int index);

// The body of a function whose attrs are known.
struct FunctionGraph {
  // Has an _Arg for each tensor of the arguments, and after these the nodes,
  // named as in the function. Nodes that call functions point at the library
  // that ReadFunction was given, which must outlive the graph. The graph's own
  // library is empty.
  Graph graph;
  std::vector<NodeId> arguments = {};  // the _Arg nodes, in order
  std::vector<Endpoint> returns = {};  // the results, in order
};

// Returns the body of `function` for a call with the attrs `attrs`. Fails as
// Instantiate (instantiate.h) does, which has the same preconditions, and with
// INVALID_ARGUMENT if an argument has the name of a node.
absl::StatusOr<FunctionGraph> ReadFunction(const Function& function,
                                           const AttrMap& attrs,
                                           const OpRegistry& ops,
                                           const FunctionLibrary& library,
                                           int64_t max_tensors);

// Returns a function `name`, without attrs to instantiate, that computes what
// `body` does. `original` is the function that the body was read from; the
// names of results and control outputs and the annotations come from it.
// REQUIRES: the nodes that are control outputs of `original` are still in the
// graph.
absl::StatusOr<Function> WriteFunction(const FunctionGraph& body,
                                       const Function& original,
                                       std::string name);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTIONS_FUNCTION_GRAPH_H_
