// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/signature.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/graph/graph.h"

namespace leat::kernels {

std::string TypesText(absl::Span<const DType> types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DType type) {
    absl::StrAppend(out, Name(type));
  });
}

absl::Status CheckSignature(const NodeDef& node, size_t first_input,
                            absl::Span<const DType> inputs,
                            absl::Span<const DType> outputs) {
  const absl::Span<const DType> has_inputs = node.input_types;
  const absl::Span<const DType> has_outputs = node.output_types;
  const size_t first = std::min(first_input, has_inputs.size());
  if (has_inputs.subspan(first) == inputs && has_outputs == outputs) {
    return absl::OkStatus();
  }
  std::vector<DType> expected(has_inputs.begin(), has_inputs.begin() + first);
  expected.insert(expected.end(), inputs.begin(), inputs.end());
  return absl::InvalidArgumentError(
      absl::StrCat("Signature mismatch, have: ", TypesText(has_inputs), "->",
                   TypesText(has_outputs), " expected: ", TypesText(expected),
                   "->", TypesText(outputs)));
}

}  // namespace leat::kernels
