// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunPasses optimizes the graph of a step with the passes of a registry
// (pass.h). It is thread-safe.
#ifndef LEAT_GRAPH_OPTIMIZER_RUN_PASSES_H_
#define LEAT_GRAPH_OPTIMIZER_RUN_PASSES_H_

#include "absl/status/status.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer/pass.h"

namespace leat {

// Runs the passes on a pruned and placed graph. Nodes keep their names and ids;
// some are removed, and some are replaced. Fails with INVALID_ARGUMENT for a
// graph with a cycle, and in no other case. Takes O(nodes + edges) time, apart
// from the evaluation of constants. OptimizerOptions limits that evaluation.
absl::Status RunPasses(Graph& graph, const PassRegistry& passes,
                       const RunPassesOptions& options);

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_RUN_PASSES_H_
