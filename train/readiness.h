// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Whether variables that others initialize are there yet.
#ifndef LEAT_TRAIN_READINESS_H_
#define LEAT_TRAIN_READINESS_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/graph/builder.h"
#include "leat/graph/graph.h"

namespace leat {

// The names (a vector of strings) of the variables that are not initialized; of
// all of the builder's so far when none are given. Empty: a model is ready
// (tf.compat.v1.report_uninitialized_variables).
Output UninitializedVariables(
    GraphBuilder& builder, absl::Span<const Variable> variables = {},
    SourceLocation location = SourceLocation::Current());

// How many variables such a tensor, "node" or "node:0" of `graph`, is about: of
// how many it depends on whether they are initialized. 0 when there is no such
// node.
size_t NumVariablesOf(const Graph& graph, absl::string_view tensor);

}  // namespace leat

#endif  // LEAT_TRAIN_READINESS_H_
