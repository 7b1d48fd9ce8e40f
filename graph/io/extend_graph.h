// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Extends a graph again and again, each time at the cost of what is new. A
// program that extends a graph once calls ExtendGraph of graph_def.h. The
// functions of this header are thread-safe, but other threads must not use a
// graph while ExtendGraph changes it.
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

// Does what ExtendGraph of graph_def.h does, in time that does not depend on
// the size of `graph`: it takes time in proportion to `graph_def`. Only an
// extension of a loop that `graph` has takes as long as the check of the whole
// graph. REQUIRES: `totals` are those of `graph`. The caller adds the returned
// totals to them, unless he undoes the addition.
absl::StatusOr<GraphExtension> ExtendGraph(const pb::GraphDef& graph_def,
                                           Graph& graph,
                                           const GraphTotals& totals,
                                           const ImportLimits& limits);

}  // namespace leat

#endif  // LEAT_GRAPH_IO_EXTEND_GRAPH_H_
