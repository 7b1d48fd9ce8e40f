// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// VariableReads tells what to fetch from a session to get the values of
// variables. It is thread-safe.
//
//   LEAT_ASSIGN_OR_RETURN(const std::vector<TensorName> reads,
//                         VariableReads(graph, variables, session));
//   LEAT_ASSIGN_OR_RETURN(auto values, session.Run({.fetches = reads}));
#ifndef LEAT_TRAIN_VARIABLE_READS_H_
#define LEAT_TRAIN_VARIABLE_READS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat {

// Returns, for each of the `variables` (reference or resource) of `graph`, the
// name of a tensor with its value. `session` must run `graph`, or a graph that
// has the same variables and their ReadVariableOps under the same names.
//
// If `graph` reads a variable only in functions or only after other nodes,
// extends `session` by a read of that variable. Returns the errors of
// Session::Extend. Returns INVALID_ARGUMENT, naming the variable, if such a
// variable has control inputs.
absl::StatusOr<std::vector<TensorName>> VariableReads(
    const Graph& graph, const std::vector<NodeId>& variables, Session& session);

}  // namespace leat

#endif  // LEAT_TRAIN_VARIABLE_READS_H_
