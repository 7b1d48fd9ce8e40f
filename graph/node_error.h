// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NodeError: makes the error of a node that cannot stay in its graph.
// Stateless, thread-safe.
#ifndef LEAT_GRAPH_NODE_ERROR_H_
#define LEAT_GRAPH_NODE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns INVALID_ARGUMENT: "node 'x' (Square): PROBLEM".
absl::Status NodeError(const NodeDef& node, absl::string_view problem);

}  // namespace leat

#endif  // LEAT_GRAPH_NODE_ERROR_H_
