// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReplaceHandles: the variables' values where their handles were. A step of
// FreezeVariables (freeze.h), and of TensorFlow's
// convert_variables_to_constants_v2.
#ifndef LEAT_TRAIN_REPLACE_HANDLES_H_
#define LEAT_TRAIN_REPLACE_HANDLES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"

namespace leat {

// Makes a Const of each VarHandleOp in `values`. Whatever passes a handle on
// (Identity, the primitives of loops and branches, IdentityN, If, Case, While
// and calls) passes the value on instead; ReadVariableOp becomes Identity,
// ResourceGather Gather and VariableShape Shape, all of the names they had. A
// function that is given a handle gets a copy that takes the value, named
// `<function>_frozen` where possible; the old one stays in the library.
//
// Nodes that are not `needed` (by id) are left alone, and wrong.
// INVALID_ARGUMENT naming variable and node where a handle is used in another
// way, or where it depends on the step which variable it is of;
// RESOURCE_EXHAUSTED when the copies of functions have more nodes than a graph
// may have once it is lowered. On failure `graph` is unspecified.
absl::Status ReplaceHandles(const absl::flat_hash_map<NodeId, Tensor>& values,
                            const std::vector<bool>& needed, Graph& graph);

// Makes the node a Const of its name and device; its control edges stay.
absl::Status ReplaceByConst(NodeId id, Tensor value, Graph& graph);

}  // namespace leat

#endif  // LEAT_TRAIN_REPLACE_HANDLES_H_
