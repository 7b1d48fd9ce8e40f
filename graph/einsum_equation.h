// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// An EinsumEquation is the attr `equation` of Einsum, such as "ij,jk->ik". The
// shape function, the kernel and the gradient of Einsum read it.
#ifndef LEAT_GRAPH_EINSUM_EQUATION_H_
#define LEAT_GRAPH_EINSUM_EQUATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

// Holds the subscripts of an equation. Each character of a subscript is the
// label of one axis. But kEllipsis, which the equation writes as "...", stands
// for any number of axes that are broadcast.
struct EinsumEquation {
  static constexpr char kEllipsis = '.';

  std::vector<std::string> inputs = {};
  std::string output = {};

  // Returns the equation as the attr has it.
  std::string ToString() const;
};

// Parses the equation of an Einsum with `num_inputs` inputs. Any character may
// be a label, as in TensorFlow. Returns INVALID_ARGUMENT, with TensorFlow's
// text, if the equation
//  - has not exactly one "->", or has more than two inputs,
//  - has not `num_inputs` inputs,
//  - has other periods than one "..." in a subscript, or
//  - has a label in the output that no input has.
absl::StatusOr<EinsumEquation> ParseEinsumEquation(absl::string_view equation,
                                                   int64_t num_inputs);

// Returns true if `subscript` has the label, or the ellipsis.
inline bool HasLabel(absl::string_view subscript, char label) {
  return subscript.find(label) != absl::string_view::npos;
}

}  // namespace leat

#endif  // LEAT_GRAPH_EINSUM_EQUATION_H_
