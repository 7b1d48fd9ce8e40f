// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MergeGraph extends the graph of a session with the nodes and functions that
// the client has built since the session got its graph. It is thread-safe, but
// other threads must not use a graph while MergeGraph changes it.
#ifndef LEAT_GRAPH_MERGE_H_
#define LEAT_GRAPH_MERGE_H_

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_addition.h"

namespace leat {

// Copies the nodes and functions of `addition` that `base` does not have into
// `base`, and returns what was added. Takes O(addition) time, whatever the size
// of `base`. Fails with INVALID_ARGUMENT if two functions of the same name
// differ. Fails in the same way if two nodes of the same name differ in op,
// attrs, requested device, inputs or control inputs. The error names the
// function or node. After a failure, `base` is unchanged. REQUIRES: both graphs
// use the same op registry.
absl::StatusOr<GraphAddition> MergeGraph(const Graph& addition, Graph& base);

}  // namespace leat

#endif  // LEAT_GRAPH_MERGE_H_
