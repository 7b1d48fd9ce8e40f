// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionGraph: the body of a function as a Graph, to be changed as any other,
// and back.
#ifndef LEAT_GRAPH_FUNCTION_GRAPH_H_
#define LEAT_GRAPH_FUNCTION_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// An output of a node as a function's text names it: "node:output:0".
absl::StatusOr<std::string> OutputText(const Node& node, int index);

struct FunctionGraph {
  // Nodes are named as in the function; before them stands an _Arg for each
  // tensor of the arguments. Calls point at functions of the library that
  // ReadFunction was given; the graph's own one is empty.
  Graph graph;
  std::vector<NodeId> arguments = {};
  std::vector<Endpoint> returns = {};
};

// The body of `function` once its attrs are `attrs`. Fails as Instantiate
// (instantiate.h), whose REQUIRES hold, does; INVALID_ARGUMENT too when an
// argument has the name of a node.
absl::StatusOr<FunctionGraph> ReadFunction(const Function& function,
                                           const AttrMap& attrs,
                                           const OpRegistry& ops,
                                           const FunctionLibrary& library,
                                           int64_t max_tensors);

// A function `name` without attrs of its own that computes what `body` does.
// `original` is what the body was read from: the names of results and control
// outputs and the function's annotations come from it. REQUIRES: the nodes that
// are control outputs of `original` still stand in the graph.
absl::StatusOr<Function> WriteFunction(const FunctionGraph& body,
                                       const Function& original,
                                       std::string name);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTION_GRAPH_H_
