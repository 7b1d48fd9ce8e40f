// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphTotals has what the check of an extension must know of the graph that is
// extended: its size, for the limits, and its loops. A session keeps the totals
// beside its graph, so that an extension costs what is new and not the graph.
//
//   GraphTotals totals = TotalsOf(graph);
//   LEAT_ASSIGN_OR_RETURN(GraphExtension extension,
//                         ExtendGraph(graph_def, graph, totals, limits));
//   totals.Add(std::move(extension.totals));
#ifndef LEAT_GRAPH_ANALYSIS_GRAPH_TOTALS_H_
#define LEAT_GRAPH_ANALYSIS_GRAPH_TOTALS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Is a value. Is thread-compatible.
struct GraphTotals {
  // Adds the totals of an extension.
  void Add(GraphTotals extension);

  int64_t nodes = 0;    // including those of functions
  int64_t edges = 0;    // including control edges and those of functions
  int64_t outputs = 0;  // of the graph's own nodes
  // Is the number of nodes that the graph would gain if all function calls were
  // inlined.
  int64_t called_nodes = 0;
  // Hold the nodes whose outputs are inside of a loop, and the names of all
  // loops.
  absl::flat_hash_set<NodeId> in_loops = {};
  absl::flat_hash_set<std::string> frame_names = {};
};

// Returns the totals of a whole graph. REQUIRES: the graph is valid, as
// ImportGraphDef (graph_def.h) checks. The totals of a graph with other loops
// or calls lack these.
GraphTotals TotalsOf(const Graph& graph);

// Counts the nodes of `graph` from `first` on, and their edges and outputs.
void CountNodes(const Graph& graph, NodeId first, GraphTotals& totals);
// Counts the nodes of a function and their edges.
void CountFunction(const Function& function, GraphTotals& totals);

// Returns the name of the loop that an Enter enters, or "" if the Enter has
// none.
std::string FrameName(const Node& enter);

// Does what ValidateControlFlow (graph_validation.h) does for a graph whose
// nodes before `first` are valid and have the totals `before`. Sets the loops
// of the later nodes in `added`. Takes time in proportion to the later nodes,
// unless one of them is added to a loop that the graph had before.
absl::Status ValidateAddedControlFlow(const Graph& graph, NodeId first,
                                      const GraphTotals& before,
                                      GraphTotals& added);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_GRAPH_TOTALS_H_
