// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/indices/index_errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/shape.h"

namespace leat::kernels {

std::string PositionIn(absl::Span<const int64_t> dims, int64_t position) {
  if (dims.empty()) return "";
  Dims place(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    place[i] = position % dims[i];
    position /= dims[i];
  }
  return absl::StrCat("[", absl::StrJoin(place, ","), "]");
}

absl::Status IndexError(IndexRule rule, absl::Span<const int64_t> dims,
                        int64_t position, absl::Span<const int64_t> index,
                        absl::Span<const int64_t> limits) {
  const std::string at = PositionIn(dims, position);
  const std::string point =
      absl::StrCat("indices", at, " = [", absl::StrJoin(index, ", "), "]");
  const std::string shape = absl::StrCat("[", absl::StrJoin(limits, ","), "]");
  std::string text;
  switch (rule) {
    case IndexRule::kRow:
      text = absl::StrCat("indices", at, " = ", index[0], " is not in [0, ",
                          limits[0], ")");
      break;
    case IndexRule::kPoint:
      text = absl::StrCat(point, " does not index into param shape ", shape);
      break;
    case IndexRule::kTarget:
      text = absl::StrCat(point, " does not index into shape ", shape);
      break;
    case IndexRule::kSegment:
      text = absl::StrCat("segment_ids", at, " = ", index[0],
                          " is out of range [0, ", limits[0], ")");
      break;
    case IndexRule::kTrainedRow:
      text = absl::StrCat("Index ", index[0], " at offset ", position,
                          " in indices is out of range");
      break;
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace leat::kernels
