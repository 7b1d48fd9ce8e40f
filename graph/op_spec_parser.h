// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses the textual form of argument and attr declarations in TensorFlow's op
// definitions. OpSpec (op_spec.h) lists the forms. Only op_spec.cc uses these
// functions. They are thread-safe.
#ifndef LEAT_GRAPH_OP_SPEC_PARSER_H_
#define LEAT_GRAPH_OP_SPEC_PARSER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/op_def.h"

namespace leat::internal {

// Parses the declaration of an attr, such as "k: int >= 1 = 3". Fails with
// INVALID_ARGUMENT, saying what is expected and where.
absl::StatusOr<AttrDef> ParseAttrDef(absl::string_view text);

// Parses the declaration of an argument, such as "values: N * T". The type may
// be the name of an attr, so it is first looked up among `attrs`. As in
// TensorFlow, an attr that counts tensors or lists their types gets a minimum
// of 1 if it has no minimum. Fails as ParseAttrDef does.
absl::StatusOr<ArgDef> ParseArgDef(absl::string_view text,
                                   std::vector<AttrDef>& attrs);

// Returns true if `text` is of the form [A-Za-z_][A-Za-z0-9_]*.
bool IsIdentifier(absl::string_view text);

}  // namespace leat::internal

#endif  // LEAT_GRAPH_OP_SPEC_PARSER_H_
