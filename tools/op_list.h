// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Which ops there are, for people and programs.
#ifndef LEAT_TOOLS_OP_LIST_H_
#define LEAT_TOOLS_OP_LIST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/op_registry.h"

namespace leat {

// "MatMul(a: T, b: T) -> (product: T)".
std::string OpSignature(const OpDef& op);

// A line per op: the device types that have kernels, and the signature.
std::string OpListText(const OpRegistry& ops, bool color);

// Signature, attrs with types, bounds and defaults, and kernels with their type
// constraints. NOT_FOUND for an unknown op.
absl::StatusOr<std::string> OpText(const OpRegistry& ops,
                                   absl::string_view name, bool color);

// [{"name", "signature", "attrs": [{"name", "type", "default"}], "stateful",
//   "devices": ["CPU"]}]; of one op, or of all when `name` is empty. NOT_FOUND
// for an unknown op.
absl::StatusOr<std::string> OpListJson(const OpRegistry& ops,
                                       absl::string_view name = "");

}  // namespace leat

#endif  // LEAT_TOOLS_OP_LIST_H_
