// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/fixed_length_records.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::Status FixedLengthRecords::SetFileSize(int64_t size) {
  const int64_t body = size - SaturatingAdd(lengths_.header, lengths_.footer);
  if (body < 0 || body % lengths_.record != 0) {
    return absl::InvalidArgumentError(WrongSize(size));
  }
  records_left_ = body / lengths_.record;
  return absl::OkStatus();
}

absl::StatusOr<Cut> FixedLengthRecords::Next(absl::string_view& bytes,
                                             bool is_last, Record& record) {
  SkipBytes(bytes, header_left_);
  if (header_left_ == 0 && records_left_ == 0) return Cut::kEnd;
  if (header_left_ == 0) {
    LEAT_ASSIGN_OR_RETURN(const bool is_cut, CutOff(bytes, record));
    if (is_cut) return Cut::kRecord;
  }
  if (!is_last) return Cut::kNeedsBytes;
  const int64_t read = lengths_.header - header_left_ + cut_bytes_ +
                       static_cast<int64_t>(partial_.size());
  if (records_left_ < 0 && header_left_ == 0 &&
      static_cast<int64_t>(partial_.size()) == lengths_.footer) {
    return Cut::kEnd;
  }
  return absl::DataLossError(WrongSize(read));
}

uint64_t FixedLengthRecords::WantedBytes() const {
  const auto record = static_cast<uint64_t>(lengths_.record);
  if (records_left_ > 0) return record;
  return record + static_cast<uint64_t>(lengths_.footer);
}

absl::StatusOr<bool> FixedLengthRecords::CutOff(absl::string_view& bytes,
                                                Record& record) {
  const auto length = static_cast<size_t>(lengths_.record);
  if (is_taken_) {
    // The footer, or the begin of the next record, stands behind the record.
    // The caller may have taken all of the text, if nothing does.
    partial_.text().erase(0, length);
    if (partial_.size() == 0) partial_.Clear();
    is_taken_ = false;
  }
  const uint64_t wanted = WantedBytes();
  if (partial_.size() == 0 && bytes.size() >= wanted) {
    record = {.view = bytes.substr(0, length)};
    bytes.remove_prefix(length);
  } else {
    const absl::string_view more = bytes.substr(
        0, std::min<uint64_t>(bytes.size(), wanted - partial_.size()));
    LEAT_RETURN_IF_ERROR(partial_.Append(more, wanted));
    bytes.remove_prefix(more.size());
    if (partial_.size() < wanted) return false;
    is_taken_ = true;
    record =
        partial_.size() == length
            ? partial_.Whole()
            : Record{.view =
                         absl::string_view(partial_.text()).substr(0, length)};
  }
  cut_bytes_ += lengths_.record;
  if (records_left_ > 0) --records_left_;
  return true;
}

std::string FixedLengthRecords::WrongSize(int64_t size) const {
  const int64_t body = size - SaturatingAdd(lengths_.header, lengths_.footer);
  return absl::StrCat("Excluding the header (", lengths_.header,
                      " bytes) and footer (", lengths_.footer,
                      " bytes), input file \"", path_, "\" has body length ",
                      body,
                      " bytes, which is not an exact multiple of the record "
                      "length (",
                      lengths_.record, " bytes).");
}

}  // namespace leat
