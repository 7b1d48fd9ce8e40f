// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/run_report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/escaped_text.h"
#include "leat/tools/dumps/table.h"
#include "leat/tools/tensors/tensor_json.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxShownValues = 1000;

double Microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// Returns the mean time of a step in microseconds.
double MeanStep(const RunModelResult& result) {
  return result.steps == 0 ? 0
                           : Microseconds(result.step_time) /
                                 static_cast<double>(result.steps);
}

std::string OpTimes(const Trace& trace, bool color) {
  std::vector<std::vector<Cell>> rows;
  rows.push_back({"op", Cell::Number("runs"), Cell::Number("total us"),
                  Cell::Number("mean us"), Cell::Number("share")});
  for (Cell& cell : rows[0]) cell.style = Style::kFaint;
  const std::vector<OpTime> times = trace.TimeByOp();
  double sum = 0;
  for (const OpTime& time : times) sum += Microseconds(time.total);
  for (const OpTime& time : times) {
    const double total = Microseconds(time.total);
    rows.push_back({Cell(time.op, Style::kOp),
                    Cell::Number(absl::StrCat(time.count)),
                    Cell::Number(absl::StrFormat("%.1f", total)),
                    Cell::Number(absl::StrFormat(
                        "%.2f", total / static_cast<double>(time.count))),
                    Cell::Number(absl::StrFormat(
                        "%.1f%%", sum > 0 ? 100 * total / sum : 0))});
  }
  return FormatTable(rows, {.color = color});
}

}  // namespace

std::string RunReportText(const RunModelResult& result, const Trace* trace,
                          bool color) {
  std::string text;
  for (const auto& [name, value] : result.fetched) {
    absl::StrAppend(&text, Styled(Escaped(name), Style::kName, color), " ",
                    EscapedLines(value.DebugString(kMaxShownValues)), "\n");
  }
  if (trace == nullptr) return text;
  absl::StrAppend(&text, result.steps, " steps, ",
                  absl::StrFormat("%.1f", MeanStep(result)), " us each\n",
                  OpTimes(*trace, color));
  return text;
}

std::string RunReportJson(const RunModelResult& result, const Trace* trace) {
  Json json = {{"fetches", Json::array()},
               {"steps", result.steps},
               {"step_us", MeanStep(result)}};
  for (const auto& [name, value] : result.fetched) {
    Json entry = {{"name", name}, {"dtype", Name(value.dtype())}};
    entry["shape"] = ShapeJson(value.shape());
    entry["values"] = ValuesJson(value);
    json["fetches"].push_back(std::move(entry));
  }
  if (trace != nullptr) {
    json["ops"] = Json::array();
    for (const OpTime& time : trace->TimeByOp()) {
      json["ops"].push_back({{"op", time.op},
                             {"count", time.count},
                             {"total_us", Microseconds(time.total)}});
    }
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace leat
