// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MergeGraphs extends the graph of a session with the nodes and functions that
// the client has built since the session got its graph. Thread-safe.
#ifndef LEAT_GRAPH_MERGE_H_
#define LEAT_GRAPH_MERGE_H_

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns `base` with the nodes and functions of `addition` that are new. Fails
// with INVALID_ARGUMENT if two functions of the same name differ. Fails in the
// same way if two nodes of the same name differ in op, attrs, requested device,
// inputs or control inputs. The error names the function or node. REQUIRES:
// both graphs use the same op registry.
absl::StatusOr<Graph> MergeGraphs(const Graph& base, const Graph& addition);

}  // namespace leat

#endif  // LEAT_GRAPH_MERGE_H_
