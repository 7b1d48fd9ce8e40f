// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParseTextEntries makes the entries of a static table from a text file that
// has one entry in each line.
#ifndef LEAT_KERNELS_LOOKUP_TEXT_ENTRIES_H_
#define LEAT_KERNELS_LOOKUP_TEXT_ENTRIES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/dtype.h"
#include "leat/kernels/lookup/lookup_table.h"

namespace leat::kernels {

// Says what of each line is the key and what is the value. Is a value type.
struct TextFormat {
  // These values of `key_index` and `value_index` stand for the whole line and
  // for the number of the line. The others are numbers of columns.
  static constexpr int64_t kWholeLine = -2;
  static constexpr int64_t kLineNumber = -1;

  int64_t key_index = kWholeLine;
  int64_t value_index = kLineNumber;
  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  int64_t vocab_size = -1;  // the number of lines to read; -1: all
  char delimiter = '\t';    // stands between columns
  int64_t offset = 0;       // is added to line numbers
};

// Returns INVALID_ARGUMENT if a dtype does not fit its index.
absl::Status CheckTextFormat(const TextFormat& format);

// Returns the entries of `text`, the contents of the file `path`. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if a line is not as `format` says
// or there are too few lines. REQUIRES: CheckTextFormat accepts the format.
absl::StatusOr<TableEntries> ParseTextEntries(absl::string_view text,
                                              absl::string_view path,
                                              const TextFormat& format,
                                              Allocator& allocator);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_TEXT_ENTRIES_H_
