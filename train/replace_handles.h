// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReplaceHandles puts the values of variables where their handles were. It is a
// step of FreezeVariables (freeze.h), and of TensorFlow's
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

// Makes a Const of each VarHandleOp whose id is in `values`. Nodes that pass a
// handle on (Identity, the primitives of loops and branches, IdentityN, If,
// Case, While and calls) now pass on the value. ReadVariableOp becomes
// Identity, ResourceGather becomes Gather and VariableShape becomes Shape; all
// keep their names. A function that takes a handle gets a copy that takes the
// value, named `<function>_frozen` if possible; the original stays in the
// library.
//
// Nodes that are not `needed` (indexed by id) are left unchanged, and may be
// wrong afterwards. On failure `graph` is unspecified.
//
// Returns INVALID_ARGUMENT, naming the variable and the node, if a node uses a
// handle in a way that is not listed above. Returns the same error if a tensor
// is a handle in one branch or iteration and not in another, or if the types of
// its values differ between them. Returns RESOURCE_EXHAUSTED if the copies of
// functions have more nodes than a graph may have after lowering.
absl::Status ReplaceHandles(const absl::flat_hash_map<NodeId, Tensor>& values,
                            const std::vector<bool>& needed, Graph& graph);

// Replaces the node by a Const of the same name and device. Its control edges
// stay.
absl::Status ReplaceByConst(NodeId id, Tensor value, Graph& graph);

}  // namespace leat

#endif  // LEAT_TRAIN_REPLACE_HANDLES_H_
