// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MergeGraphs: a session's graph and what its client has added since.
#ifndef LEAT_GRAPH_MERGE_H_
#define LEAT_GRAPH_MERGE_H_

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// `base` with the nodes and functions of `addition` that are new. Nodes of the
// same name must be equal (op, attrs, device, inputs): INVALID_ARGUMENT naming
// the node otherwise. Both must be graphs over the same op registry.
absl::StatusOr<Graph> MergeGraphs(const Graph& base, const Graph& addition);

}  // namespace leat

#endif  // LEAT_GRAPH_MERGE_H_
