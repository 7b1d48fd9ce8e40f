// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Writes graphs as text for people to read: one line per node, or DOT for
// Graphviz. Is thread-safe.
#ifndef LEAT_GRAPH_IO_TEXT_H_
#define LEAT_GRAPH_IO_TEXT_H_

#include <string>

#include "leat/graph/graph.h"

namespace leat {

// Says what ToText shows.
struct TextOptions {
  bool attrs = true;
  bool default_attrs = false;  // also attrs that have their default value
  bool annotations = false;    // also attrs that the op does not declare
  bool devices = true;         // the assigned device, or else the requested one
  int max_elements = 6;        // elements to show of each tensor
  int max_column = 48;         // in characters; wider cells are not cut
};

// Returns one line for each node, followed by the functions. A line has the
// form `name = Op[attrs] (inputs, ^controls) @device` and is aligned in
// columns. Producers come before their consumers. If the graph has a cycle, all
// nodes are in the order of their ids instead. For example:
//
//   x          = Placeholder[dtype=float, shape=[?,2]] ()
//   dense/prod = MatMul[T=float]                       (x, dense/w)  @/gpu:0
std::string ToText(const Graph& graph, const TextOptions& options = {});

// Says what ToDot shows.
struct DotOptions {
  bool control_edges = true;
  bool scopes = true;  // a cluster for every name scope
};

// Returns a digraph in DOT. Edges are labelled with the index of the output
// unless it is 0, and control edges are dashed. Functions are left out.
std::string ToDot(const Graph& graph, const DotOptions& options = {});

}  // namespace leat

#endif  // LEAT_GRAPH_IO_TEXT_H_
