// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares graphs by their structure, for tests and tools, and says in words
// what differs. Thread-safe.
#ifndef LEAT_GRAPH_ANALYSIS_EQUAL_H_
#define LEAT_GRAPH_ANALYSIS_EQUAL_H_

#include <string>

#include "leat/graph/graph.h"

namespace leat {

// What counts as a difference.
struct CompareOptions {
  bool devices = true;       // requested and assigned devices
  bool annotations = true;   // attrs that the op does not declare
  bool functions = true;     // the function libraries
  bool versions = true;      // producer and min_consumer
  int max_differences = 10;  // lines of text; the rest is only counted
};

// Returns "" if the graphs have nodes of the same names that compute the same
// from the same inputs; the order of the nodes does not matter. Otherwise
// returns one difference per line, such as "node 'a/b': input 1 is 'x:3' and
// 'y'", sorted by node. The value from `a` comes before the value from `b`.
std::string Difference(const Graph& a, const Graph& b,
                       const CompareOptions& options = {});

// Returns true if Difference finds none.
inline bool Equal(const Graph& a, const Graph& b,
                  const CompareOptions& options = {}) {
  return Difference(a, b, options).empty();
}

// Compares as == does, except that floats are compared bit by bit, so that a
// NaN equals itself, and that an empty list of unknown type equals an empty
// list of any type.
bool EqualAttrValues(const AttrValue& a, const AttrValue& b);

// Returns an input as TensorFlow writes it: "x", "x:1". For a node that was
// removed, which a graph under change may still refer to, it is "(removed 7)".
std::string InputName(const Graph& graph, Endpoint endpoint);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_EQUAL_H_
