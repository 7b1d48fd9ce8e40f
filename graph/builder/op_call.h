// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions help the generated op functions (ops.h). Only generated code
// calls them. They are not thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_OP_CALL_H_
#define LEAT_GRAPH_BUILDER_OP_CALL_H_

#include <cstdint>
#include <vector>

#include "leat/graph/builder/builder.h"

namespace leat::internal {

// Calls GraphBuilder::AddOp on `builder`. If `builder` is null, calls the free
// function AddOp (builder.h), which takes the builder of the first input that
// has one. If no input has a builder, adds nothing and returns an invalid
// Operation.
Operation CallOp(GraphBuilder* builder, OpArgs args);

// Returns `count` outputs of `operation`, starting with output `begin`.
// Together they form one output argument of the op, which is a list of tensors.
// The result has `count` elements even if the operation is invalid, so the
// caller may index it. REQUIRES: count >= 0.
std::vector<Output> OutputList(const Operation& operation, int64_t begin,
                               int64_t count);

// Limits `count` to the range from 0 to kMaxArgs (op_def.h), so that OutputList
// accepts the result. `count` is the length of a list that a program requests.
int64_t ListLength(int64_t count);

}  // namespace leat::internal

#endif  // LEAT_GRAPH_BUILDER_OP_CALL_H_
