// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FormatTable writes tables of text in columns. The other functions of this
// file make text fit for a terminal. The functions are stateless and
// thread-safe.
//
//   FormatTable({{"op", Cell::Number("runs")}, {"MatMul", Cell::Number("12")}})
#ifndef LEAT_TOOLS_DUMPS_TABLE_H_
#define LEAT_TOOLS_DUMPS_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace leat {

// Says what a text means, which decides its colour.
enum class Style { kPlain, kHeading, kName, kOp, kFaint, kAlarm };

// Returns `text` between the escape sequences of its style, or just the text if
// `color` is false.
std::string Styled(absl::string_view text, Style style, bool color);

// Describes one cell of a table.
struct Cell {
  Cell(std::string text = "", Style style = Style::kPlain)  // NOLINT
      : text(std::move(text)), style(style) {}
  Cell(const char* text) : text(text) {}  // NOLINT
  // Returns a cell that is aligned to the right of its column.
  static Cell Number(std::string text) {
    Cell cell(std::move(text));
    cell.is_right = true;
    return cell;
  }

  std::string text;
  Style style = Style::kPlain;
  bool is_right = false;
};

// Says how a table looks.
struct TableOptions {
  bool color = false;
  int indent = 2;
  // A column is at most this wide. Wider cells extend beyond it.
  int max_column = 64;
  // Lines are cut at this width; 0 stands for no limit.
  int width = 0;
};

// Returns one line per row, with the cells escaped. A column is as wide as its
// widest cell. If a cell extends beyond its column, the following cells of its
// row are placed as close to their columns as possible.
std::string FormatTable(const std::vector<std::vector<Cell>>& rows,
                        const TableOptions& options = {});

// Returns at most `width` bytes of `text`, without cutting a UTF-8 character in
// two. If `text` is longer than `width`, the result ends in "...".
std::string Shortened(absl::string_view text, size_t width);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_TABLE_H_
