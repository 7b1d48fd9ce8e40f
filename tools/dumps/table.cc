// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/escaped_text.h"
#include "leat/core/utf8.h"

namespace leat {
namespace {

// Returns the escape sequence of a style.
absl::string_view Sequence(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kHeading:
      return "\x1b[1m";
    case Style::kName:
      return "\x1b[36m";
    case Style::kOp:
      return "\x1b[32m";
    case Style::kFaint:
      return "\x1b[2m";
    case Style::kAlarm:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

std::string Styled(absl::string_view text, Style style, bool color) {
  const absl::string_view escape = Sequence(style);
  if (!color || escape.empty() || text.empty()) return std::string(text);
  return absl::StrCat(escape, text, "\x1b[0m");
}

namespace {

std::string FormatRow(const std::vector<Cell>& row,
                      const std::vector<size_t>& widths,
                      const TableOptions& options) {
  constexpr size_t kGap = 2;
  const size_t end = options.width > 0 ? static_cast<size_t>(options.width)
                                       : std::string::npos;
  std::string line;
  size_t position = 0;  // without escape sequences
  auto start = static_cast<size_t>(options.indent);
  for (size_t i = 0; i < row.size(); ++i) {
    const Cell& cell = row[i];
    const size_t size = cell.text.size();
    size_t from = i == 0 ? start : std::max(start, position + kGap);
    if (cell.is_right && widths[i] > size) {
      from = std::max(from, start + widths[i] - size);
    }
    start += widths[i] + kGap;
    if (size == 0) continue;
    if (from >= end) break;
    const std::string text = Shortened(cell.text, end - from);
    line.append(from - position, ' ');
    line += Styled(text, cell.style, options.color);
    position = from + text.size();
  }
  return line;
}

}  // namespace

std::string FormatTable(const std::vector<std::vector<Cell>>& table,
                        const TableOptions& options) {
  std::vector<std::vector<Cell>> rows = table;
  for (std::vector<Cell>& row : rows) {
    for (Cell& cell : row) cell.text = Escaped(cell.text);
  }
  const auto max_column = static_cast<size_t>(options.max_column);
  std::vector<size_t> widths;
  for (const std::vector<Cell>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].text.size() > max_column) continue;
      widths[i] = std::max(widths[i], row[i].text.size());
    }
  }
  std::string out;
  for (const std::vector<Cell>& row : rows) {
    absl::StrAppend(&out, FormatRow(row, widths, options), "\n");
  }
  return out;
}

std::string Shortened(absl::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  constexpr absl::string_view kEnd = "...";
  return absl::StrCat(Utf8Prefix(text, width < 3 ? 0 : width - 3),
                      kEnd.substr(0, width));
}

}  // namespace leat
