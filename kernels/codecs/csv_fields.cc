// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/csv_fields.h"

namespace leat {
namespace {

// Takes a field without quotes from the front of `rest`, up to the delimiter.
absl::Status TakePlain(const CsvFormat& format, absl::string_view& rest,
                       std::string& field) {
  size_t size = 0;
  for (; size < rest.size() && rest[size] != format.delimiter; ++size) {
    const char c = rest[size];
    if ((format.has_quotes && c == '"') || c == '\n' || c == '\r') {
      return absl::InvalidArgumentError(
          "Unquoted fields cannot have quotes/CRLFs inside");
    }
  }
  field.assign(rest.data(), size);
  rest.remove_prefix(size);
  return absl::OkStatus();
}

// Takes a field between quotes from the front of `rest`, up to the delimiter.
absl::Status TakeQuoted(const CsvFormat& format, absl::string_view& rest,
                        std::string& field) {
  field.clear();
  for (rest.remove_prefix(1); !rest.empty(); rest.remove_prefix(1)) {
    if (rest[0] == '"') {
      rest.remove_prefix(1);
      if (rest.empty() || rest[0] == format.delimiter) return absl::OkStatus();
      if (rest[0] != '"') {
        return absl::InvalidArgumentError(
            "Quote inside a string has to be escaped by another quote");
      }
    }
    field.push_back(rest[0]);
  }
  return absl::InvalidArgumentError(
      "Quoted field has to end with quote followed by delim or end");
}

}  // namespace

absl::Status SplitCsv(absl::string_view line, const CsvFormat& format,
                      std::vector<std::string>& fields) {
  size_t count = 0;  // of the fields that are returned
  const auto wants = [&](int64_t column) {
    return format.columns.empty() ||
           (count < format.columns.size() && format.columns[count] == column);
  };
  std::string field;
  bool has_more = !line.empty();
  for (int64_t column = 0; has_more; ++column) {
    const bool is_quoted = format.has_quotes && !line.empty() && line[0] == '"';
    absl::Status status = is_quoted ? TakeQuoted(format, line, field)
                                    : TakePlain(format, line, field);
    if (!status.ok()) return status;
    has_more = !line.empty();  // a delimiter stands before another field
    if (has_more) line.remove_prefix(1);
    if (!wants(column)) continue;
    if (count == fields.size()) fields.emplace_back();
    fields[count++].swap(field);
  }
  fields.resize(count);
  return absl::OkStatus();
}

}  // namespace leat
