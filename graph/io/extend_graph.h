// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Extends a graph many times. Each extension takes time in proportion to the
// new nodes. A program that extends a graph once calls ExtendGraph of
// graph_def.h. The functions of this header are thread-safe, but other threads
// must not use a graph while ExtendGraph changes it.
#ifndef LEAT_GRAPH_IO_EXTEND_GRAPH_H_
#define LEAT_GRAPH_IO_EXTEND_GRAPH_H_

#include "absl/status/statusor.h"
#include "leat/graph/analysis/graph_totals.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_addition.h"
#include "leat/graph/io/graph_def.h"

namespace leat {

// Says what an extension has added to a graph.
struct GraphExtension {
  GraphAddition addition;
  GraphTotals totals;  // of what was added
};

// Adds `graph_def` to `graph`, as ExtendGraph of graph_def.h does. Takes time
// in proportion to the size of `graph_def`, regardless of the size of `graph`.
// But if the extension adds nodes to a loop of `graph`, the whole graph is
// checked again. REQUIRES: `totals` has the totals of `graph`. The caller must
// add the returned totals to `totals`, unless the caller undoes the addition.
absl::StatusOr<GraphExtension> ExtendGraph(const pb::GraphDef& graph_def,
                                           Graph& graph,
                                           const GraphTotals& totals,
                                           const ImportLimits& limits);

}  // namespace leat

#endif  // LEAT_GRAPH_IO_EXTEND_GRAPH_H_
