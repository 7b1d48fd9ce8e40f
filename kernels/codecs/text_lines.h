// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TextLines is the format of text files, whose records are their lines.
#ifndef LEAT_KERNELS_CODECS_TEXT_LINES_H_
#define LEAT_KERNELS_CODECS_TEXT_LINES_H_

#include <string>
#include <utility>

#include "leat/kernels/codecs/record_format.h"

namespace leat {

// A line ends with "\n". As in TensorFlow, no line contains "\r", wherever it
// stands in the file, and an empty line behind the last "\n" does not count.
class TextLines final : public RecordFormat {
 public:
  // `allocator` is borrowed.
  TextLines(std::string path, Allocator& allocator)
      : path_(std::move(path)), partial_(path_, allocator) {}

  absl::StatusOr<Cut> Next(absl::string_view& bytes, bool is_last,
                           Record& record) override;

 private:
  // Appends a piece of a line without its "\r".
  absl::Status Append(absl::string_view piece);

  const std::string path_;
  PartialRecord partial_;
  bool is_taken_ = false;  // The caller has got what is in `partial_`.
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_TEXT_LINES_H_
