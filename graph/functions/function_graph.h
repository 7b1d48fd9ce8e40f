// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionGraph holds the body of a function as a Graph, so that it can be
// changed like any other graph and then written back as a function. It is
// thread-compatible.
#ifndef LEAT_GRAPH_FUNCTIONS_FUNCTION_GRAPH_H_
#define LEAT_GRAPH_FUNCTIONS_FUNCTION_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns the name by which the nodes of a function refer to output `index` of
// a node. The name is "node:output:0", where "output" is the name of an output
// of the op.
absl::StatusOr<std::string> OutputText(const Node& node, int index);

// Describes the body of a function whose attrs are known.
struct FunctionGraph {
  // The first nodes are an _Arg for each tensor of the arguments. After them
  // come the nodes of the function, with the same names as in the function.
  // Nodes that call functions point at the library that was passed to
  // ReadFunction, so that library must outlive the graph. The graph's own
  // library is empty.
  Graph graph;
  std::vector<NodeId> arguments = {};  // the _Arg nodes, in order
  std::vector<Endpoint> returns = {};  // the results, in order
};

// Returns the body of `function` for a call with the attrs `attrs`. Has the
// same preconditions as Instantiate (instantiate.h) and fails as Instantiate
// does. Also fails with INVALID_ARGUMENT if two arguments or nodes have the
// same name.
absl::StatusOr<FunctionGraph> ReadFunction(const Function& function,
                                           const AttrMap& attrs,
                                           const OpRegistry& ops,
                                           const FunctionLibrary& library,
                                           int64_t max_tensors);

// Returns a function that is called `name` and computes what `body` does. The
// signature of the new function has no attrs. `original` is the function that
// the body was read from. The new function gets its annotations and the names
// of its results and control outputs from `original`. REQUIRES: the nodes that
// are control outputs of `original` are still in the graph.
absl::StatusOr<Function> WriteFunction(const FunctionGraph& body,
                                       const Function& original,
                                       std::string name);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTIONS_FUNCTION_GRAPH_H_
