// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FreezeVariables: a trained model as one graph without state.
#ifndef LEAT_TRAIN_FREEZE_H_
#define LEAT_TRAIN_FREEZE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat {

// The part of `graph` that `outputs` need, with a Const of the variable's value
// in `session` in the place of every variable (of both kinds); what reads one
// becomes Identity. Names stay. Bodies of If, Case, While and calls that are
// given a variable get the value instead (replace_handles.h).
//
// `session` runs `graph`, or one that has its variables and their
// ReadVariableOps under the same names; it is extended by a read of each
// variable that `graph` reads in functions, or after other nodes, only. Fails
// as Session::Run (NOT_FOUND for a read that the session lacks) and Extend do,
// and when a variable is used otherwise, made after other nodes or made in a
// function: INVALID_ARGUMENT naming the node.
absl::StatusOr<Graph> FreezeVariables(const Graph& graph, Session& session,
                                      const std::vector<TensorName>& outputs);

}  // namespace leat

#endif  // LEAT_TRAIN_FREEZE_H_
