// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphAddition says what an extension has added to a graph, so that the
// extension can be undone. Undoing takes time in proportion to the added nodes
// and functions.
#ifndef LEAT_GRAPH_GRAPH_ADDITION_H_
#define LEAT_GRAPH_GRAPH_ADDITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "leat/graph/graph.h"

namespace leat {

// Describes what was added to a graph. Is a value and thread-compatible.
struct GraphAddition {
  // Records the state of `graph` before an addition begins.
  explicit GraphAddition(const Graph& graph);

  // Removes the added nodes, functions and gradients from `graph`, and restores
  // its other members. REQUIRES: `graph` has the addition, and none of its
  // older nodes uses an added node.
  void Undo(Graph& graph) const;

  // Makes `gradient` the gradient of `function` in the library of `graph`, and
  // records it if it is new. Fails as FunctionLibrary::SetGradient does.
  absl::Status AddGradient(const std::string& function,
                           const std::string& gradient, Graph& graph);

  // Is the lowest id of the new nodes. All higher ids belong to new nodes, too.
  NodeId first = 0;
  // Holds the names of the new functions. The extension fills this list.
  std::vector<std::string> functions = {};
  // Holds the names of the functions that got a gradient. The extension fills
  // this list, too.
  std::vector<std::string> gradients = {};
  // Hold the values that these members of the graph had before the addition.
  int producer = 0;
  int min_consumer = 0;
  int64_t tensor_bytes = 0;
};

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_ADDITION_H_
