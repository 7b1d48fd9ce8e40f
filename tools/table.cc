// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/table.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

// Returns the length in bytes of the UTF-8 character with which the text
// begins. Returns 0 for bytes that are not a character up to U+10FFFF, for a
// character that is encoded in too many bytes, and for a character that
// controls a terminal.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return first < ' ' || first == 0x7f ? 0 : 1;
  const size_t size = first >= 0xf5   ? 0
                      : first >= 0xf0 ? 4
                      : first >= 0xe0 ? 3
                      : first >= 0xc2 ? 2
                                      : 0;
  if (size == 0 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xc2 && byte(1) < 0xa0) return 0;   // C1 controls
  if (first == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (first == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
  if (first == 0xf0 && byte(1) < 0x90) return 0;   // overlong
  if (first == 0xf4 && byte(1) >= 0x90) return 0;  // above U+10FFFF
  return size;
}

// Escapes a text, except for the characters in `kept`.
std::string Escape(absl::string_view text, absl::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const size_t bytes =
        absl::StrContains(kept, text[0]) ? 1 : CharacterBytes(text);
    if (bytes > 0) {
      out.append(text.data(), bytes);
    } else if (text[0] == '\n') {
      out += "\\n";
    } else if (text[0] == '\t') {
      out += "\\t";
    } else {
      absl::StrAppend(
          &out, "\\x",
          absl::Hex(static_cast<uint8_t>(text[0]), absl::kZeroPad2));
    }
    text.remove_prefix(std::max(bytes, size_t{1}));
  }
  return out;
}

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

std::string Escaped(absl::string_view text) { return Escape(text, ""); }

std::string EscapedLines(absl::string_view text) {
  return Escape(text, "\n\t");
}

std::string Shortened(absl::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  constexpr absl::string_view kEnd = "...";
  return absl::StrCat(Utf8Prefix(text, width < 3 ? 0 : width - 3),
                      kEnd.substr(0, width));
}

}  // namespace leat
