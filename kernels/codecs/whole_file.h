// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WholeFile is the format of files that are one record.
#ifndef LEAT_KERNELS_CODECS_WHOLE_FILE_H_
#define LEAT_KERNELS_CODECS_WHOLE_FILE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/record_format.h"

namespace leat {

class WholeFile final : public RecordFormat {
 public:
  // `allocator` is borrowed.
  WholeFile(std::string path, Allocator& allocator)
      : path_(std::move(path)), contents_(path_, allocator) {}

  absl::StatusOr<Cut> Next(absl::string_view& bytes, bool is_last,
                           Record& record) override {
    if (is_taken_) return Cut::kEnd;
    LEAT_RETURN_IF_ERROR(contents_.Append(bytes, size_));
    bytes.remove_prefix(bytes.size());
    if (!is_last) return Cut::kNeedsBytes;
    record = contents_.Whole();
    is_taken_ = true;
    return Cut::kRecord;
  }

  absl::Status SetFileSize(int64_t size) override {
    size_ = static_cast<uint64_t>(size);
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  PartialRecord contents_;
  uint64_t size_ = PartialRecord::kUnknown;
  bool is_taken_ = false;  // The caller has got the record.
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_WHOLE_FILE_H_
