// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the generated op functions (ops.h) share. For their code only.
#ifndef LEAT_GRAPH_OP_CALL_H_
#define LEAT_GRAPH_OP_CALL_H_

#include <cstdint>
#include <vector>

#include "leat/graph/builder.h"

namespace leat::internal {

// GraphBuilder::AddOp on `builder` or, when that is null, on the builder of the
// first input that has one. Without any, nothing is added: an error made those
// inputs invalid, and the builder it happened in reports it.
Operation CallOp(GraphBuilder* builder, OpArgs args);

// The tensors of a list: `count` outputs from `begin` on. As many as the caller
// asked for even when the operation is invalid, so that indexing them is safe.
std::vector<Output> OutputList(const Operation& operation, int64_t begin,
                               int64_t count);

// A number of tensors that a user asked for, as what OutputList accepts.
int64_t ListLength(int64_t count);

}  // namespace leat::internal

#endif  // LEAT_GRAPH_OP_CALL_H_
