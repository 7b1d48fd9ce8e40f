// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FixedLengthRecords is the format of files whose records all have the same
// length. They stand between a header and a footer.
#ifndef LEAT_KERNELS_CODECS_FIXED_LENGTH_RECORDS_H_
#define LEAT_KERNELS_CODECS_FIXED_LENGTH_RECORDS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "leat/kernels/codecs/record_format.h"

namespace leat {

// Is a value.
struct FixedLengths {
  int64_t header = 0;
  int64_t record = 1;
  int64_t footer = 0;
};

// Returns an error, with TensorFlow's text, if there is no whole number of
// records: INVALID_ARGUMENT by SetFileSize, before the first record, or
// DATA_LOSS at the end of a file whose size was not known.
class FixedLengthRecords final : public RecordFormat {
 public:
  // `allocator` is borrowed. REQUIRES: no length is below 0, and that of
  // records is above 0.
  FixedLengthRecords(std::string path, const FixedLengths& lengths,
                     Allocator& allocator)
      : path_(std::move(path)),
        lengths_(lengths),
        header_left_(lengths.header),
        partial_(path_, allocator) {}

  absl::StatusOr<Cut> Next(absl::string_view& bytes, bool is_last,
                           Record& record) override;
  absl::Status SetFileSize(int64_t size) override;

 private:
  // Returns the number of bytes that must be there so that a record is known
  // not to be a part of the footer.
  uint64_t WantedBytes() const;
  // Cuts a record off if all wanted bytes are there.
  absl::StatusOr<bool> CutOff(absl::string_view& bytes, Record& record);
  // Returns a message about a file of `size` bytes.
  std::string WrongSize(int64_t size) const;

  const std::string path_;
  const FixedLengths lengths_;
  int64_t records_left_ = -1;  // or -1 if the size of the file is not known
  int64_t header_left_;
  int64_t cut_bytes_ = 0;  // of all records so far
  PartialRecord partial_;
  bool is_taken_ = false;  // The caller has got the front of `partial_`.
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_FIXED_LENGTH_RECORDS_H_
