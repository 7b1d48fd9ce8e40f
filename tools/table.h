// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tables of text in columns, with colours for a terminal.
#ifndef LEAT_TOOLS_TABLE_H_
#define LEAT_TOOLS_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace leat {

// What a text is, and so its colour.
enum class Style { kPlain, kHeading, kName, kOp, kFaint, kAlarm };

// `text` between the escape sequences of its style; as it is without colour.
std::string Styled(absl::string_view text, Style style, bool color);

struct Cell {
  Cell(std::string text = "", Style style = Style::kPlain)  // NOLINT
      : text(std::move(text)), style(style) {}
  Cell(const char* text) : text(text) {}  // NOLINT
  // Numbers stand at the right of their column.
  static Cell Number(std::string text) {
    Cell cell(std::move(text));
    cell.is_right = true;
    return cell;
  }

  std::string text;
  Style style = Style::kPlain;
  bool is_right = false;
};

struct TableOptions {
  bool color = false;
  int indent = 2;
  int max_column = 64;  // wider cells stick out
  int width = 0;        // lines are cut there; 0: nowhere
};

// A line per row, cells escaped; columns are as wide as their widest cell.
// After a cell that sticks out the next ones stand as near to their columns as
// they can.
std::string FormatTable(const std::vector<std::vector<Cell>>& rows,
                        const TableOptions& options = {});

// "17 B", "3.2 KiB", "1.5 GiB".
std::string BytesText(int64_t bytes);

// Without bytes that a terminal would obey: control characters and what is no
// UTF-8 become "\\n", "\\x1b" and the like; a backslash stays.
std::string Escaped(absl::string_view text);

// The same for messages of several lines: "\n" and "\t" stay.
std::string EscapedLines(absl::string_view text);

// At most `width` characters; a longer text ends in "...".
std::string Shortened(absl::string_view text, size_t width);

}  // namespace leat

#endif  // LEAT_TOOLS_TABLE_H_
