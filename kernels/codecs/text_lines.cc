// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/text_lines.h"

#include <algorithm>
#include <utility>

#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<Cut> TextLines::Next(absl::string_view& bytes, bool is_last,
                                    Record& record) {
  if (std::exchange(is_taken_, false)) partial_.Clear();
  const size_t end = bytes.find('\n');
  absl::string_view line = bytes.substr(0, end);
  const bool has_end = end != absl::string_view::npos;
  bytes.remove_prefix(has_end ? end + 1 : line.size());
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const bool is_whole = has_end && partial_.size() == 0 &&
                        line.find('\r') == absl::string_view::npos;
  if (is_whole) {
    record = {.view = line};
    return Cut::kRecord;
  }
  LEAT_RETURN_IF_ERROR(Append(line));
  if (!has_end && !is_last) return Cut::kNeedsBytes;
  if (!has_end && partial_.size() == 0) return Cut::kEnd;
  record = partial_.Whole();
  is_taken_ = true;
  return Cut::kRecord;
}

absl::Status TextLines::Append(absl::string_view piece) {
  while (!piece.empty()) {
    const absl::string_view part = piece.substr(0, piece.find('\r'));
    LEAT_RETURN_IF_ERROR(partial_.Append(part, PartialRecord::kUnknown));
    piece.remove_prefix(std::min(part.size() + 1, piece.size()));
  }
  return absl::OkStatus();
}

}  // namespace leat
