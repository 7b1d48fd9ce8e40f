// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpSignature, OpListText, OpText and OpListJson describe ops for people and
// for programs. The functions are stateless and thread-safe.
#ifndef LEAT_TOOLS_OP_LIST_H_
#define LEAT_TOOLS_OP_LIST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/op_registry.h"

namespace leat {

// Returns a text such as "MatMul(a: T, b: T) -> (product: T)".
std::string OpSignature(const OpDef& op);

// Returns one line per op: the device types that have kernels for it, and its
// signature.
std::string OpListText(const OpRegistry& ops, bool color);

// Returns a text about one op. The text has the signature, the sentence that
// describes the op, the attrs (types, bounds and defaults), and the kernels
// (type constraints). Returns NOT_FOUND for an unknown op.
absl::StatusOr<std::string> OpText(const OpRegistry& ops,
                                   absl::string_view name, bool color);

// Returns a JSON array with one op, or with all ops if `name` is empty:
//
//   [{"name", "doc", "signature", "attrs": [{"name", "type", "default"}],
//     "stateful", "devices": ["CPU"]}]
//
// Returns NOT_FOUND for an unknown op.
absl::StatusOr<std::string> OpListJson(const OpRegistry& ops,
                                       absl::string_view name = "");

}  // namespace leat

#endif  // LEAT_TOOLS_OP_LIST_H_
