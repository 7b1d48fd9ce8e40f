// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the generated op functions (ops.h) share. Only their code uses it. Not
// thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_OP_CALL_H_
#define LEAT_GRAPH_BUILDER_OP_CALL_H_

#include <cstdint>
#include <vector>

#include "leat/graph/builder/builder.h"

namespace leat::internal {

// Calls GraphBuilder::AddOp on `builder` or, if that is null, on the builder of
// the first input that has one. If no input has one, nothing is added and the
// result is invalid, as the free function AddOp (builder.h) says.
Operation CallOp(GraphBuilder* builder, OpArgs args);

// Returns `count` outputs of `operation`, from number `begin` on: the tensors
// of an output that is a list. There are `count` of them even if the operation
// is invalid, so that the caller may index them. REQUIRES: count >= 0.
std::vector<Output> OutputList(const Operation& operation, int64_t begin,
                               int64_t count);

// Returns `count`, a number of tensors that a user asked for, bounded to what
// OutputList can return: 0 to kMaxArgs (op_def.h).
int64_t ListLength(int64_t count);

}  // namespace leat::internal

#endif  // LEAT_GRAPH_BUILDER_OP_CALL_H_
