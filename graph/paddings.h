// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KnownPaddings reads the paddings or crops of an op for its shape function.
#ifndef LEAT_GRAPH_PADDINGS_H_
#define LEAT_GRAPH_PADDINGS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// Returns the numbers in input `i`, two for each of `rank` dimensions, or
// nothing if they are not known. `title` is the word that begins an error.
// Returns INVALID_ARGUMENT if a number is negative or the input cannot have the
// shape [rank, 2].
inline absl::StatusOr<std::optional<Dims>> KnownPaddings(
    const InferenceContext& context, int i, int64_t rank,
    absl::string_view title) {
  LEAT_RETURN_IF_ERROR(
      Merge(context.input(i), PartialShape({rank, 2})).status());
  const Tensor* paddings = context.input_value(i);
  if (paddings == nullptr) return std::nullopt;
  LEAT_ASSIGN_OR_RETURN(const Tensor flat,
                        paddings->Reshaped(Shape{paddings->num_elements()}));
  LEAT_ASSIGN_OR_RETURN(Dims values, GetIndices(flat, title));
  for (const int64_t value : values) {
    if (value < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(title, " must be non-negative, got ", value));
    }
  }
  return values;
}

}  // namespace leat

#endif  // LEAT_GRAPH_PADDINGS_H_
