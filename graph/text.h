// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Graphs for people: one line per node, or Graphviz's DOT.
#ifndef LEAT_GRAPH_TEXT_H_
#define LEAT_GRAPH_TEXT_H_

#include <string>

#include "leat/graph/graph.h"

namespace leat {

struct TextOptions {
  bool attrs = true;
  bool default_attrs = false;  // also those that have their default
  bool annotations = false;    // attrs that the op does not declare
  bool devices = true;         // the assigned device, else the requested one
  int max_elements = 6;        // of a tensor
  int max_column = 48;         // wider cells stick out
};

// `name = Op[attrs](inputs, ^controls) @device`, a line per node, in columns,
// producers first where there is no cycle; then the functions:
//
//   x          = Placeholder[dtype=float, shape=[?,2]] ()
//   dense/prod = MatMul[T=float]                       (x, dense/w)  @/gpu:0
std::string ToText(const Graph& graph, const TextOptions& options = {});

struct DotOptions {
  bool control_edges = true;
  bool scopes = true;  // a cluster for every name scope
};

// A DOT digraph; edges are labelled with the output's index when not 0, control
// edges are dashed.
std::string ToDot(const Graph& graph, const DotOptions& options = {});

}  // namespace leat

#endif  // LEAT_GRAPH_TEXT_H_
