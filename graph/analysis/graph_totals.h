// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphTotals holds the size and the loops of a graph. The check of an
// extension compares the size with the limits, and needs the loops to check the
// control flow. A session keeps the totals beside its graph. So the time to
// check an extension depends on the new nodes, and not on the whole graph.
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

// Holds the totals of a graph, or of an extension. Is a value and
// thread-compatible.
struct GraphTotals {
  // Adds the totals of an extension.
  void Add(GraphTotals extension);

  int64_t nodes = 0;    // including those of functions
  int64_t edges = 0;    // including control edges and those of functions
  int64_t outputs = 0;  // of the graph's own nodes
  // Is the number of nodes that the graph would gain if all function calls were
  // inlined.
  int64_t called_nodes = 0;
  // in_loops holds the nodes whose outputs are inside of a loop. frame_names
  // holds the names of all loops.
  absl::flat_hash_set<NodeId> in_loops = {};
  absl::flat_hash_set<std::string> frame_names = {};
};

// Returns the totals of a whole graph. REQUIRES: the graph passes the checks of
// ImportGraphDef (graph_def.h). If its control flow or its calls are not valid,
// the totals lack the loops or the called nodes.
GraphTotals TotalsOf(const Graph& graph);

// Counts the nodes of `graph` from `first` on, and their edges and outputs.
void CountNodes(const Graph& graph, NodeId first, GraphTotals& totals);
// Counts the nodes of a function and their edges.
void CountFunction(const Function& function, GraphTotals& totals);

// Returns the name of the loop that an Enter enters, or "" if the Enter has no
// attr frame_name of type string.
std::string FrameName(const Node& enter);

// Checks the control flow of a graph as ValidateControlFlow
// (graph_validation.h) does. Adds the loops of the nodes from `first` on to
// `added`. Takes time in proportion to the number of these nodes, unless one of
// them is added to an older loop. REQUIRES: the earlier nodes are valid, and
// `before` holds their totals.
absl::Status ValidateAddedControlFlow(const Graph& graph, NodeId first,
                                      const GraphTotals& before,
                                      GraphTotals& added);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_GRAPH_TOTALS_H_
