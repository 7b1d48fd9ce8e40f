// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/einsum_equation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr char kEllipsis = EinsumEquation::kEllipsis;

// Returns the subscript with kEllipsis in the place of "...".
absl::StatusOr<std::string> WithShortEllipsis(absl::string_view subscript) {
  const auto periods = std::count(subscript.begin(), subscript.end(), '.');
  const size_t ellipsis = subscript.find("...");
  if (periods == 0) return std::string(subscript);
  if (periods != 3 || ellipsis == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected at most one ellipsis (...), but found ", periods,
                     " periods (.) in the input subscript: ", subscript));
  }
  return absl::StrCat(subscript.substr(0, ellipsis), std::string(1, kEllipsis),
                      subscript.substr(ellipsis + 3));
}

}  // namespace

std::string EinsumEquation::ToString() const {
  return absl::StrReplaceAll(
      absl::StrCat(absl::StrJoin(inputs, ","), "->", output),
      {{std::string(1, kEllipsis), "..."}});
}

absl::StatusOr<EinsumEquation> ParseEinsumEquation(absl::string_view equation,
                                                   int64_t num_inputs) {
  const std::vector<absl::string_view> sides = absl::StrSplit(equation, "->");
  if (sides.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expecting exactly one '->' in einsum equation: ", equation));
  }
  const std::vector<absl::string_view> inputs = absl::StrSplit(sides[0], ',');
  if (inputs.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expecting 1 or 2 input subscripts in equation '",
                     equation, "' but got: ", inputs.size()));
  }
  if (static_cast<int64_t>(inputs.size()) != num_inputs) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected ", inputs.size(), " inputs but got: ", num_inputs));
  }
  EinsumEquation parsed;
  for (const absl::string_view input : inputs) {
    LEAT_ASSIGN_OR_RETURN(std::string subscript, WithShortEllipsis(input));
    parsed.inputs.push_back(std::move(subscript));
  }
  LEAT_ASSIGN_OR_RETURN(parsed.output, WithShortEllipsis(sides[1]));
  for (const char label : parsed.output) {
    if (label == kEllipsis || HasLabel(sides[0], label)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Einsum output subscripts for equation '", equation,
                     "' has label '", std::string(1, label),
                     "' which is not present in the input subscripts"));
  }
  return parsed;
}

}  // namespace leat
