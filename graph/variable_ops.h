// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tells which ops stand for a variable. Is thread-safe.
#ifndef LEAT_GRAPH_VARIABLE_OPS_H_
#define LEAT_GRAPH_VARIABLE_OPS_H_

#include "absl/strings/string_view.h"

namespace leat {

// Returns true if the output of the op is the handle of a variable or a
// reference to its tensor. Variable is the older form of VariableV2.
inline bool IsVariableOp(absl::string_view op) {
  return op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
}

}  // namespace leat

#endif  // LEAT_GRAPH_VARIABLE_OPS_H_
