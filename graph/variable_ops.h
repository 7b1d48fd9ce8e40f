// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Ops that stand for a variable.
#ifndef LEAT_GRAPH_VARIABLE_OPS_H_
#define LEAT_GRAPH_VARIABLE_OPS_H_

#include "absl/strings/string_view.h"

namespace leat {

// The op's output is a variable's handle or a reference to its tensor.
inline bool IsVariableOp(absl::string_view op) {
  return op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
}

}  // namespace leat

#endif  // LEAT_GRAPH_VARIABLE_OPS_H_
