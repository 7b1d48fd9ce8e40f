// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphAddition says what an extension has added to a graph, so that the
// extension can be undone at the cost of what it has added.
#ifndef LEAT_GRAPH_GRAPH_ADDITION_H_
#define LEAT_GRAPH_GRAPH_ADDITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "leat/graph/graph.h"

namespace leat {

// Is a value. Is thread-compatible.
struct GraphAddition {
  // Describes an addition to `graph` that has not begun.
  explicit GraphAddition(const Graph& graph);

  // Removes the added nodes and functions from `graph`, and restores its other
  // members. REQUIRES: `graph` has the addition, and none of its older nodes
  // uses an added node.
  void Undo(Graph& graph) const;

  // The new nodes of the graph have this id and higher ones.
  NodeId first = 0;
  // Holds the names of the new functions. The extension fills this list.
  std::vector<std::string> functions = {};
  // Holds the members of the graph before the addition.
  int producer = 0;
  int min_consumer = 0;
  int64_t tensor_bytes = 0;
};

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_ADDITION_H_
