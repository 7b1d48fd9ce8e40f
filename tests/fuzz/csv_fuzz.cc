// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Splits bytes as a line of comma-separated values. Fields that are quoted
// again must give the same fields. Reads each field as a number.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/csv_fields.h"
#include "leat/kernels/codecs/text_numbers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view line(reinterpret_cast<const char*>(data), size);
  leat::CsvFields fields;
  leat::CsvFormat plain;
  plain.has_quotes = false;
  leat::SplitCsv(line, plain, fields).IgnoreError();
  leat::CsvFormat format;
  if (!leat::SplitCsv(line, format, fields).ok() || fields.empty()) return 0;
  std::string quoted;
  for (const leat::CsvField& each : fields) {
    const std::string field = each.text();
    LEAT_CHECK(field.size() == each.size());
    absl::StrAppend(&quoted, quoted.empty() ? "" : ",", "\"",
                    absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
    int32_t whole = 0;
    int64_t large = 0;
    float real = 0;
    double precise = 0;
    leat::ParseNumber(field, whole);
    LEAT_CHECK(!leat::ParseNumber(field, whole) ||
               leat::ParseNumber(field, large));
    LEAT_CHECK(leat::ParseNumber(field, real) ==
               leat::ParseNumber(field, precise));
  }
  leat::CsvFields again;
  LEAT_CHECK(leat::SplitCsv(quoted, format, again).ok());
  LEAT_CHECK(again.size() == fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    LEAT_CHECK(again[i].text() == fields[i].text());
  }
  return 0;
}
