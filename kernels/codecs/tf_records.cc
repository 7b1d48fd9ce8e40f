// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/tf_records.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/crc32c.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int64_t kHeaderBytes = kRecordHeaderBytes;
constexpr int64_t kFramingBytes = kRecordHeaderBytes + kRecordFooterBytes;

bool IsChecksumOf(absl::string_view data, const char* checksum) {
  uint32_t stored = 0;
  std::memcpy(&stored, checksum, sizeof(stored));
  return Crc32c(data) == Unmask(stored);
}

}  // namespace

absl::StatusOr<Cut> TfRecords::Next(absl::string_view& bytes, bool is_last,
                                    Record& record) {
  const auto needs_bytes = [&]() -> absl::StatusOr<Cut> {
    if (!is_last) return Cut::kNeedsBytes;
    return Damaged(absl::StrCat("truncated record at ", offset_,
                                "' failed with Read less bytes than "
                                "requested"));
  };
  if (!has_header_) {
    if (std::exchange(is_taken_, false)) partial_.Clear();
    if (!Collect(bytes, kRecordHeaderBytes)) {
      return is_last ? Cut::kEnd : Cut::kNeedsBytes;
    }
    LEAT_RETURN_IF_ERROR(ReadHeader());
  }
  const bool is_whole = partial_.size() == 0 && framing_size_ == 0 &&
                        bytes.size() >= kRecordFooterBytes &&
                        bytes.size() - kRecordFooterBytes >= length_;
  if (is_whole) {
    record = {.view = bytes.substr(0, length_)};
    bytes.remove_prefix(length_);
    std::memcpy(framing_.data(), bytes.data(), kRecordFooterBytes);
    bytes.remove_prefix(kRecordFooterBytes);
  } else {
    const absl::string_view more = bytes.substr(
        0, std::min<uint64_t>(bytes.size(), length_ - partial_.size()));
    LEAT_RETURN_IF_ERROR(partial_.Append(more, length_));
    bytes.remove_prefix(more.size());
    if (partial_.size() < length_) return needs_bytes();
    if (!Collect(bytes, kRecordFooterBytes)) return needs_bytes();
    record = partial_.Whole();
    is_taken_ = true;
  }
  LEAT_RETURN_IF_ERROR(CheckData(record.view, framing_.data()));
  offset_ += kFramingBytes + static_cast<int64_t>(length_);
  framing_size_ = 0;
  has_header_ = false;
  return Cut::kRecord;
}

bool TfRecords::Collect(absl::string_view& bytes, size_t count) {
  const size_t more = std::min(count - framing_size_, bytes.size());
  bytes.copy(framing_.data() + framing_size_, more);  // may be no bytes
  framing_size_ += more;
  bytes.remove_prefix(more);
  return framing_size_ == count;
}

absl::Status TfRecords::ReadHeader() {
  std::memcpy(&length_, framing_.data(), sizeof(length_));
  const absl::string_view length(framing_.data(), sizeof(length_));
  if (!IsChecksumOf(length, framing_.data() + sizeof(length_))) {
    return Damaged(
        absl::StrCat("corrupted record at ", offset_,
                     offset_ == 0 ? " (Is this even a TFRecord file?)" : ""));
  }
  framing_size_ = 0;
  has_header_ = true;
  return absl::OkStatus();
}

absl::Status TfRecords::CheckData(absl::string_view data,
                                  const char* checksum) const {
  if (IsChecksumOf(data, checksum)) return absl::OkStatus();
  return Damaged(absl::StrCat("corrupted record at ", offset_ + kHeaderBytes));
}

absl::Status TfRecords::Damaged(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("file '", path_, "': ", what));
}

}  // namespace leat
