// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/report.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/bytes_text.h"
#include "leat/tools/dumps/table.h"

namespace leat::soak {
namespace {

Cell Count(int64_t count) { return Cell::Number(absl::StrCat(count)); }

Cell SecondsText(absl::Duration time) {
  return Cell::Number(absl::StrFormat("%.2f", absl::ToDoubleSeconds(time)));
}

}  // namespace

void Report::Add(const std::string& fault, const RoundResult& result) {
  Row& row = rows_[fault];
  ++(result.is_sync ? row.synchronous : row.asynchronous);
  row.longest = std::max(row.longest, result.recovery);
  row.highest.Raise(result.highest);
  row.errors += result.errors;
  ++rounds_;
  if (result.has_failed) {
    ++row.failed;
    ++failed_;
  }
  steps_ += result.steps;
  sessions_ += result.sessions;
}

std::string Report::Text(absl::Duration time, uint32_t seed) const {
  std::vector<std::vector<Cell>> rows = {
      {"fault", Cell::Number("sync"), Cell::Number("async"),
       Cell::Number("failed"), Cell::Number("errors"),
       Cell::Number("longest s"), Cell::Number("descriptors"),
       Cell::Number("threads"), Cell::Number("resident")}};
  for (const auto& [fault, row] : rows_) {
    rows.push_back({fault, Count(row.synchronous), Count(row.asynchronous),
                    Count(row.failed), Count(row.errors),
                    SecondsText(row.longest), Count(row.highest.descriptors),
                    Count(row.highest.threads),
                    Cell::Number(BytesText(row.highest.resident_bytes))});
  }
  return absl::StrCat(
      "sync and async: rounds; errors: of steps; longest s: from the end of\n"
      "the fault to the next right step of every worker; the last three\n"
      "columns: the most that any task used\n\n",
      FormatTable(rows), "\n", rounds_, " rounds, ", failed_, " failed; ",
      steps_, " steps, ", sessions_, " sessions; ",
      absl::FormatDuration(absl::Trunc(time, absl::Milliseconds(100))),
      "; seed ", seed, "\n");
}

}  // namespace leat::soak
