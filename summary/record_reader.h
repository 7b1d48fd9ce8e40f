// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecordReader reads the records of a TFRecord file from its start to its end.
//
//   LEAT_ASSIGN_OR_RETURN(RecordReader reader, RecordReader::Open(path));
//   std::string record;
//   while (reader.has_next()) {
//     LEAT_RETURN_IF_ERROR(reader.Read(record));
//   }
#ifndef LEAT_SUMMARY_RECORD_READER_H_
#define LEAT_SUMMARY_RECORD_READER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/regular_file.h"

namespace leat {

// Is not thread-safe. All errors name the file. Records that a writer appends
// after Open are not read.
class RecordReader {
 public:
  // Fails as RegularFile::Open does.
  static absl::StatusOr<RecordReader> Open(
      const std::string& path,
      const FileAccess& files = FileAccess::Unrestricted());

  // Returns true if bytes are left.
  bool has_next() const { return offset_ < file_.size(); }
  // Returns where the next record begins.
  int64_t offset() const { return offset_; }

  // Overwrites `record` with the next record's bytes. Returns DATA_LOSS, with
  // the offset of the record, if it is cut off or has a wrong checksum. No
  // memory is allocated for bytes that the file does not have. After an error
  // the reader cannot be used any more. REQUIRES: has_next().
  absl::Status Read(std::string& record);

 private:
  explicit RecordReader(RegularFile file) : file_(std::move(file)) {}
  absl::Status Damaged(absl::string_view what) const;

  RegularFile file_;
  int64_t offset_ = 0;
};

}  // namespace leat

#endif  // LEAT_SUMMARY_RECORD_READER_H_
