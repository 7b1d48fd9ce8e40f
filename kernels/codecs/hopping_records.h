// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HoppingRecords is the format of TensorFlow's FixedLengthRecordReader: records
// of the same length, which begin at equal distances. They may overlap, or have
// gaps between them.
#ifndef LEAT_KERNELS_CODECS_HOPPING_RECORDS_H_
#define LEAT_KERNELS_CODECS_HOPPING_RECORDS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "leat/kernels/codecs/fixed_length_records.h"
#include "leat/kernels/codecs/record_format.h"

namespace leat {

// Gives those records that are complete before the footer begins. Unlike
// FixedLengthRecords, it accepts bytes that are left between the last record
// and the footer. Returns OUT_OF_RANGE, with TensorFlow's text, if the file
// ends within its header.
class HoppingRecords final : public RecordFormat {
 public:
  // A record begins `hop` bytes behind the begin of the one before. If `hop` is
  // 0, it begins where the one before ends, so there is no end of records that
  // have no bytes. `allocator` is borrowed. REQUIRES: nothing is below 0.
  HoppingRecords(std::string path, const FixedLengths& lengths, int64_t hop,
                 Allocator& allocator)
      : path_(std::move(path)),
        lengths_(lengths),
        hop_(hop > 0 ? hop : lengths.record),
        header_left_(lengths.header),
        position_(lengths.header),
        window_(path_, allocator) {}

  absl::StatusOr<Cut> Next(absl::string_view& bytes, bool is_last,
                           Record& record) override;
  absl::Status SetFileSize(int64_t size) override;
  bool HasBegun() const override { return header_left_ == 0; }

 private:
  // Leaves out what comes before the next record.
  void GoToRecord(absl::string_view& bytes);

  const std::string path_;
  const FixedLengths lengths_;
  const int64_t hop_;
  int64_t header_left_;
  int64_t gap_left_ = 0;  // the bytes before the next record
  int64_t position_;      // of the next record in the file
  // Is where the footer begins, or -1 if the size of the file is not known.
  int64_t limit_ = -1;
  // Holds the bytes of the next record, and of those that overlap with it, from
  // byte `begin_` on, if they come in several pieces.
  PartialRecord window_;
  size_t begin_ = 0;
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_HOPPING_RECORDS_H_
