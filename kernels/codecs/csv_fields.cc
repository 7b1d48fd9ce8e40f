// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/csv_fields.h"

#include "absl/strings/str_replace.h"

namespace leat {
namespace {

// Takes a field without quotes from the front of `rest`, up to the delimiter.
absl::Status TakePlain(const CsvFormat& format, absl::string_view& rest,
                       CsvField& field) {
  size_t size = 0;
  for (; size < rest.size() && rest[size] != format.delimiter; ++size) {
    const char c = rest[size];
    if ((format.has_quotes && c == '"') || c == '\n' || c == '\r') {
      return absl::InvalidArgumentError(
          "Unquoted fields cannot have quotes/CRLFs inside");
    }
  }
  field.raw = rest.substr(0, size);
  rest.remove_prefix(size);
  return absl::OkStatus();
}

// Takes a field between quotes from the front of `rest`, up to the delimiter.
absl::Status TakeQuoted(const CsvFormat& format, absl::string_view& rest,
                        CsvField& field) {
  for (size_t quote = rest.find('"', 1); quote != absl::string_view::npos;
       quote = rest.find('"', quote + 2)) {
    const bool is_last = quote + 1 == rest.size();
    if (is_last || rest[quote + 1] == format.delimiter) {
      field.raw = rest.substr(1, quote - 1);
      rest.remove_prefix(quote + 1);
      return absl::OkStatus();
    }
    if (rest[quote + 1] != '"') {
      return absl::InvalidArgumentError(
          "Quote inside a string has to be escaped by another quote");
    }
    ++field.num_pairs;
  }
  return absl::InvalidArgumentError(
      "Quoted field has to end with quote followed by delim or end");
}

}  // namespace

std::string CsvField::text() const {
  if (num_pairs == 0) return std::string(raw);
  return absl::StrReplaceAll(raw, {{"\"\"", "\""}});
}

absl::Status SplitCsv(absl::string_view line, const CsvFormat& format,
                      CsvFields& fields) {
  fields.clear();
  const auto wants = [&](int64_t column) {
    return format.columns.empty() || (fields.size() < format.columns.size() &&
                                      format.columns[fields.size()] == column);
  };
  bool has_more = !line.empty();
  for (int64_t column = 0; has_more; ++column) {
    CsvField field;
    const bool is_quoted = format.has_quotes && !line.empty() && line[0] == '"';
    absl::Status status = is_quoted ? TakeQuoted(format, line, field)
                                    : TakePlain(format, line, field);
    if (!status.ok()) return status;
    has_more = !line.empty();  // a delimiter stands before another field
    if (has_more) line.remove_prefix(1);
    if (wants(column)) fields.push_back(field);
  }
  return absl::OkStatus();
}

}  // namespace leat
