// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KeepNeeded reduces a graph to what some of its nodes need, so that it can be
// exported. It is stateless and thread-safe.
#ifndef LEAT_TRAIN_NEEDED_PART_H_
#define LEAT_TRAIN_NEEDED_PART_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat {

// Returns the nodes that `outputs` name. Returns NOT_FOUND if one is not in the
// graph, and INVALID_ARGUMENT if a name is malformed.
absl::StatusOr<std::vector<NodeId>> FindNodes(
    const Graph& graph, const std::vector<TensorName>& outputs);

// Removes the nodes that `roots` do not need, the functions that nothing calls
// any more, and requests for colocation with nodes that are gone.
void KeepNeeded(const std::vector<NodeId>& roots, Graph& graph);

// Returns INVALID_ARGUMENT, naming the function and the variable, if a function
// makes a variable. The value of such a variable cannot be exported.
absl::Status CheckFunctionsMakeNoVariable(const Graph& graph);

}  // namespace leat

#endif  // LEAT_TRAIN_NEEDED_PART_H_
