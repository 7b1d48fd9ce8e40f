// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MissingOps lists the ops of a graph for which Leat has no kernel. A step that
// reaches a node of such an op fails. The functions are stateless and
// thread-safe.
//
//   LEAT_ASSIGN_OR_RETURN(Graph graph, LoadGraph("model.pb", BuiltinOps()));
//   LEAT_ASSIGN_OR_RETURN(const auto missing, MissingOps(std::move(graph)));
//   std::cout << MissingOpsText(missing, /*color=*/false);
#ifndef LEAT_TOOLS_MISSING_OPS_H_
#define LEAT_TOOLS_MISSING_OPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/graph.h"

namespace leat {

// Describes nodes that have no kernel. All of them have the same op and the
// same types.
struct MissingOp {
  std::string op = {};
  std::string types = {};  // such as "T=complex64"
  std::string node = {};   // the name of one of the nodes
  int num_nodes = 0;
  // Lists ops with similar names that have kernels, the nearest name first.
  std::vector<std::string> similar = {};
};

// Returns the ops that have no kernel for any device type, sorted by op and
// types. Calls of functions are inlined first. A function that is an attr of an
// op without a kernel is not inlined, and its nodes are not looked at. Fails as
// LowerFunctions does.
absl::StatusOr<std::vector<MissingOp>> MissingOps(Graph graph);

// Returns a table, or a sentence if no op is missing.
std::string MissingOpsText(absl::Span<const MissingOp> missing, bool color);

// Returns a JSON array: [{"op", "types", "nodes", "node", "similar": []}].
std::string MissingOpsJson(absl::Span<const MissingOp> missing);

}  // namespace leat

#endif  // LEAT_TOOLS_MISSING_OPS_H_
