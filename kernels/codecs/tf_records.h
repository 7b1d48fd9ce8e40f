// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TfRecords is the format of TFRecord files (summary/records.h describes it).
#ifndef LEAT_KERNELS_CODECS_TF_RECORDS_H_
#define LEAT_KERNELS_CODECS_TF_RECORDS_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "leat/kernels/codecs/record_format.h"
#include "leat/summary/records.h"

namespace leat {

// Returns DATA_LOSS, with TensorFlow's text, for a wrong checksum and for a
// record that is cut off. As in TensorFlow, a header that is cut off is the
// end.
class TfRecords final : public RecordFormat {
 public:
  // The first byte of Next is byte `offset` of the file `path`. `allocator` is
  // borrowed.
  TfRecords(std::string path, int64_t offset, Allocator& allocator)
      : path_(std::move(path)), offset_(offset), partial_(path_, allocator) {}

  absl::StatusOr<Cut> Next(absl::string_view& bytes, bool is_last,
                           Record& record) override;

 private:
  // Collects bytes of the framing of a record. Returns true if there are
  // `count` of them.
  bool Collect(absl::string_view& bytes, size_t count);
  absl::Status ReadHeader();
  // Checks `data` against the checksum behind it.
  absl::Status CheckData(absl::string_view data, const char* checksum) const;
  absl::Status Damaged(absl::string_view what) const;

  const std::string path_;
  int64_t offset_;  // where the record begins
  std::array<char, kRecordHeaderBytes> framing_ = {};
  size_t framing_size_ = 0;
  bool has_header_ = false;
  uint64_t length_ = 0;  // of the record, once there is a header
  PartialRecord partial_;
  bool is_taken_ = false;  // The caller has got what is in `partial_`.
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_TF_RECORDS_H_
