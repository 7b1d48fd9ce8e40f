// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SplitCsv splits a line of comma-separated values into its fields. It is
// stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_CSV_FIELDS_H_
#define LEAT_KERNELS_CODECS_CSV_FIELDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

struct CsvFormat {
  char delimiter = ',';
  // If it is true, a field may stand between quotes. Then it may contain
  // delimiters and ends of lines, and two quotes stand for one.
  bool has_quotes = true;
  // Are the columns to return, in rising order. All are returned if it is
  // empty.
  std::vector<int64_t> columns = {};
};

// Overwrites `fields` with the fields of the line. Returns INVALID_ARGUMENT,
// with TensorFlow's text, if a quote or an end of line stands where it must
// not. An empty line has no fields.
absl::Status SplitCsv(absl::string_view line, const CsvFormat& format,
                      std::vector<std::string>& fields);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_CSV_FIELDS_H_
