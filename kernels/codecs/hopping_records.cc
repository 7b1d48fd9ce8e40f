// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/hopping_records.h"

#include <algorithm>

#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::Status HoppingRecords::SetFileSize(int64_t size) {
  limit_ = std::max<int64_t>(size - lengths_.footer, 0);
  return absl::OkStatus();
}

absl::StatusOr<Cut> HoppingRecords::Next(absl::string_view& bytes, bool is_last,
                                         Record& record) {
  SkipBytes(bytes, header_left_);
  if (header_left_ > 0) {
    if (!is_last) return Cut::kNeedsBytes;
    return absl::OutOfRangeError(limit_ >= 0 ? "reached end of file"
                                             : "EOF reached");
  }
  GoToRecord(bytes);
  const int64_t length = lengths_.record;
  const bool has_limit = limit_ >= 0;
  if (has_limit && SaturatingAdd(position_, length) > limit_) return Cut::kEnd;
  // If the size of the file is not known, the last bytes are perhaps the
  // footer, so a record counts only if a whole footer can follow it.
  const auto wanted = static_cast<uint64_t>(
      has_limit ? length : SaturatingAdd(length, lengths_.footer));
  const auto needs_bytes = [&] {
    return is_last ? Cut::kEnd : Cut::kNeedsBytes;
  };
  if (gap_left_ > 0) return needs_bytes();
  absl::string_view from = bytes;
  if (window_.size() > begin_ || bytes.size() < wanted) {
    const uint64_t missing =
        wanted - std::min<uint64_t>(wanted, window_.size() - begin_);
    const absl::string_view more =
        bytes.substr(0, std::min<uint64_t>(bytes.size(), missing));
    LEAT_RETURN_IF_ERROR(
        window_.Append(more, SaturatingAdd(static_cast<int64_t>(begin_),
                                           static_cast<int64_t>(wanted))));
    bytes.remove_prefix(more.size());
    if (more.size() < missing) return needs_bytes();
    from = absl::string_view(window_.text()).substr(begin_);
  }
  record = {.view = from.substr(0, static_cast<size_t>(length))};
  position_ = SaturatingAdd(position_, hop_);
  gap_left_ = hop_;
  return Cut::kRecord;
}

void HoppingRecords::GoToRecord(absl::string_view& bytes) {
  absl::string_view window = absl::string_view(window_.text()).substr(begin_);
  SkipBytes(window, gap_left_);
  begin_ = window_.size() - window.size();
  SkipBytes(bytes, gap_left_);
  if (window.empty()) {
    window_.Clear();
    begin_ = 0;
  } else if (begin_ > window.size()) {
    // Seldom moves the bytes, so that each of them is moved once at most.
    window_.text().erase(0, begin_);
    begin_ = 0;
  }
}

}  // namespace leat
