// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The textual form of argument and attr declarations, as TensorFlow's op
// definitions write them (see OpSpec for the forms). Internal to op_def.
#ifndef LEAT_GRAPH_OP_SPEC_PARSER_H_
#define LEAT_GRAPH_OP_SPEC_PARSER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/op_def.h"

namespace leat::internal {

// "k: int >= 1 = 3". INVALID_ARGUMENT says what is wrong, and where.
absl::StatusOr<AttrDef> ParseAttrDef(absl::string_view text);

// "values: N * T". Names of types are looked up among `attrs` first; an attr
// that counts tensors or lists their types gets, as in TensorFlow, a minimum of
// 1 if it has none.
absl::StatusOr<ArgDef> ParseArgDef(absl::string_view text,
                                   std::vector<AttrDef>& attrs);

// [A-Za-z_][A-Za-z0-9_]*
bool IsIdentifier(absl::string_view text);

}  // namespace leat::internal

#endif  // LEAT_GRAPH_OP_SPEC_PARSER_H_
