// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Structural comparison of graphs, for tests and tools: what differs, in words.
#ifndef LEAT_GRAPH_EQUAL_H_
#define LEAT_GRAPH_EQUAL_H_

#include <string>

#include "leat/graph/graph.h"

namespace leat {

struct CompareOptions {
  bool devices = true;       // requested and assigned devices
  bool annotations = true;   // attrs that the op does not declare
  bool functions = true;     // the function libraries
  bool versions = true;      // producer and min_consumer
  int max_differences = 10;  // lines; the rest is counted
};

// "" when the graphs have nodes of the same names that compute the same from
// the same inputs, in whatever order; else one difference a line, such as
// "node 'a/b': input 1 is 'x:3' and 'y'", sorted by node.
std::string Difference(const Graph& a, const Graph& b,
                       const CompareOptions& options = {});

inline bool Equal(const Graph& a, const Graph& b,
                  const CompareOptions& options = {}) {
  return Difference(a, b, options).empty();
}

// As ==, but NaNs of the same bits are equal, and so are an empty list whose
// type is not known and one whose type is.
bool EqualAttrValues(const AttrValue& a, const AttrValue& b);

// An input as TensorFlow writes it: "x", "x:1".
std::string InputName(const Graph& graph, Endpoint endpoint);

}  // namespace leat

#endif  // LEAT_GRAPH_EQUAL_H_
