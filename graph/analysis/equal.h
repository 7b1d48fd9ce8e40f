// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares graphs by their structure, for tests and tools, and says in words
// what differs. Is thread-safe.
#ifndef LEAT_GRAPH_ANALYSIS_EQUAL_H_
#define LEAT_GRAPH_ANALYSIS_EQUAL_H_

#include <string>

#include "leat/graph/graph.h"

namespace leat {

// Says what Difference compares, and how many differences it lists.
struct CompareOptions {
  bool devices = true;       // requested and assigned devices
  bool annotations = true;   // attrs that the op does not declare
  bool functions = true;     // the function libraries
  bool versions = true;      // producer and min_consumer
  int max_differences = 10;  // lines of text; the rest is only counted
};

// Compares each node of `a` with the node of the same name in `b`. Also
// compares the parts of the graphs that `options` selects. The order of the
// nodes does not matter. Returns "" if nothing differs. Otherwise returns one
// difference per line, such as "node 'a/b': input 1 is 'x:3' and 'y'". The
// value from `a` comes before the value from `b`. Nodes are in the order of
// their names, but nodes that are only in `b` come after the others.
std::string Difference(const Graph& a, const Graph& b,
                       const CompareOptions& options = {});

// Returns true if Difference(a, b, options) is "".
inline bool Equal(const Graph& a, const Graph& b,
                  const CompareOptions& options = {}) {
  return Difference(a, b, options).empty();
}

// Compares two values as operator== does, with two exceptions. Floats are
// compared bit by bit, so a NaN equals itself. An empty list of unknown type
// equals an empty list of any type.
bool EqualAttrValues(const AttrValue& a, const AttrValue& b);

// Returns the name of an input as TensorFlow writes it: "x" or "x:1". A graph
// that is being changed may still refer to a node that was removed. The name of
// such a node is "(removed 7)", where 7 is its id.
std::string InputName(const Graph& graph, Endpoint endpoint);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_EQUAL_H_
