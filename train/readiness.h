// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// UninitializedVariables tells whether the variables that another task
// initializes are ready. RecoverableSession uses it.
//
//   Output missing = UninitializedVariables(b);
//   LEAT_ASSIGN_OR_RETURN(auto names, session->Run({.fetches = {missing}}));
//   const bool is_ready = names[0].num_elements() == 0;
#ifndef LEAT_TRAIN_READINESS_H_
#define LEAT_TRAIN_READINESS_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/graph.h"

namespace leat {

// Adds nodes that compute the names of the variables that are not initialized,
// as a vector of strings. An empty vector means that the model is ready. If
// `variables` is empty, the nodes check all variables that the builder has so
// far. (tf.compat.v1.report_uninitialized_variables.)
//
// The results for the variables of one device are put into one tensor on that
// device, so a fetch costs one message per task. Returns an invalid Output
// after an error of the builder.
Output UninitializedVariables(
    GraphBuilder& builder, absl::Span<const Variable> variables = {},
    SourceLocation location = SourceLocation::Current());

// Returns the number of variables that a tensor of UninitializedVariables
// checks. Counts the VarIsInitializedOp and IsVariableInitialized nodes on
// which the tensor depends. `tensor` is "node" or "node:0" of `graph`. Returns
// 0 if there is no such node.
size_t NumVariablesOf(const Graph& graph, absl::string_view tensor);

}  // namespace leat

#endif  // LEAT_TRAIN_READINESS_H_
