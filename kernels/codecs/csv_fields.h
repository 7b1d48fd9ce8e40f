// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SplitCsv splits a line of comma-separated values into its fields. It is
// stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_CSV_FIELDS_H_
#define LEAT_KERNELS_CODECS_CSV_FIELDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
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

// Is a field of a line, without the quotes around it.
struct CsvField {
  absl::string_view raw = {};  // a part of the line
  size_t num_pairs = 0;  // of quotes in `raw`, each of which stands for one

  // Returns the number of bytes of the field's text.
  size_t size() const { return raw.size() - num_pairs; }
  std::string text() const;
};
using CsvFields = absl::InlinedVector<CsvField, 16>;

// Overwrites `fields` with the fields of the line, which refer to the line.
// Returns INVALID_ARGUMENT, with TensorFlow's text, if a quote or an end of
// line stands where it must not. An empty line has no fields.
absl::Status SplitCsv(absl::string_view line, const CsvFormat& format,
                      CsvFields& fields);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_CSV_FIELDS_H_
