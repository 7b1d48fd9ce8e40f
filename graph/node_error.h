// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NodeError makes the error for a node that is not valid. It is thread-safe.
#ifndef LEAT_GRAPH_NODE_ERROR_H_
#define LEAT_GRAPH_NODE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"

namespace leat {

// These are messages that several places report. kBadNodeName is for a node
// with a malformed name. kDataAfterControl is for an input that comes after a
// control input.
inline constexpr absl::string_view kBadNodeName =
    "its name is not valid: a node's name has only letters, digits and the "
    "characters '_', '.', '/', '\\', '>' and '-', and begins with a letter, "
    "a digit or '.'";
inline constexpr absl::string_view kDataAfterControl =
    "it must come before the control inputs, which begin with '^'";

// Returns an INVALID_ARGUMENT error such as "node 'x' (Square): has no op",
// where "has no op" is `problem`.
absl::Status NodeError(const NodeDef& node, absl::string_view problem);

}  // namespace leat

#endif  // LEAT_GRAPH_NODE_ERROR_H_
