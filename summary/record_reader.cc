// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/record_reader.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "leat/core/crc32c.h"
#include "leat/core/status_macros.h"
#include "leat/summary/records.h"

namespace leat {
namespace {

constexpr int64_t kFramingBytes = kRecordHeaderBytes + kRecordFooterBytes;

template <class T>
T ReadNumber(const char* from) {
  T number = 0;
  std::memcpy(&number, from, sizeof(number));
  return number;
}

}  // namespace

absl::StatusOr<RecordReader> RecordReader::Open(const std::string& path,
                                                const FileAccess& files) {
  LEAT_ASSIGN_OR_RETURN(
      RegularFile file,
      RegularFile::Open(path, std::numeric_limits<int64_t>::max(), files));
  return RecordReader(std::move(file));
}

absl::Status RecordReader::Read(std::string& record) {
  const int64_t remaining = file_.size() - offset_;
  if (remaining < kFramingBytes) return Damaged("is cut off");
  char header[kRecordHeaderBytes];
  LEAT_RETURN_IF_ERROR(file_.Read(header, sizeof(header)));
  const uint64_t length = ReadNumber<uint64_t>(header);
  const uint32_t header_crc = ReadNumber<uint32_t>(header + sizeof(length));
  if (Crc32c({header, sizeof(length)}) != Unmask(header_crc)) {
    return Damaged("has a length with a wrong checksum");
  }
  if (length > static_cast<uint64_t>(kMaxRecordBytes)) {
    return Damaged(absl::StrCat("claims ", length, " bytes"));
  }
  if (length > static_cast<uint64_t>(remaining - kFramingBytes)) {
    return Damaged("is cut off");
  }
  record.resize(length);
  LEAT_RETURN_IF_ERROR(file_.Read(record.data(), record.size()));
  char footer[kRecordFooterBytes];
  LEAT_RETURN_IF_ERROR(file_.Read(footer, sizeof(footer)));
  if (Crc32c(record) != Unmask(ReadNumber<uint32_t>(footer))) {
    return Damaged("has a wrong checksum");
  }
  offset_ += kFramingBytes + static_cast<int64_t>(length);
  return absl::OkStatus();
}

absl::Status RecordReader::Damaged(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat(
      "file '", file_.path(), "': the record at offset ", offset_, " ", what));
}

}  // namespace leat
