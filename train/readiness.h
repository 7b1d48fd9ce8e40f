// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// UninitializedVariables: tells whether the variables that another task
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
// `variables` is empty, all variables of the builder so far are meant.
// (tf.compat.v1.report_uninitialized_variables.)
//
// The variables of one device are asked together, so a fetch costs one message
// per task. Returns an invalid Output after an error of the builder.
Output UninitializedVariables(
    GraphBuilder& builder, absl::Span<const Variable> variables = {},
    SourceLocation location = SourceLocation::Current());

// Returns how many variables a tensor of UninitializedVariables is about. It
// counts the nodes that ask whether a variable is initialized and on which the
// tensor depends. `tensor` is "node" or "node:0" of `graph`. 0 if there is no
// such node.
size_t NumVariablesOf(const Graph& graph, absl::string_view tensor);

}  // namespace leat

#endif  // LEAT_TRAIN_READINESS_H_
