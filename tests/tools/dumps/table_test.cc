// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/table.h"
#include "leat/core/bytes_text.h"

#include <string>

#include "gtest/gtest.h"

namespace leat::table_test {
namespace {

TEST(TableTest, PutsNumbersAtTheRight) {
  EXPECT_EQ(FormatTable(
                {{"op", Cell::Number("runs")}, {"MatMul", Cell::Number("12")}}),
            "  op      runs\n"
            "  MatMul    12\n");
}

TEST(TableTest, ColumnsStandAgainAfterACellThatSticksOut) {
  EXPECT_EQ(FormatTable({{"aa", "bbbbbbb", "c"}, {"aaaaaaaa", "b", "c"}},
                        {.indent = 0, .max_column = 7}),
            "aa  bbbbbbb  c\n"
            "aaaaaaaa  b  c\n");
}

TEST(TableTest, EndsLinesAtTheWidth) {
  const std::string table =
      FormatTable({{"name", Cell("a long operation", Style::kOp), "inputs"},
                   {"n", "Op", "x"}},
                  {.color = true, .indent = 0, .width = 14});
  EXPECT_EQ(table,
            "name  \x1b[32ma lon...\x1b[0m\n"
            "n     Op\n");
}

TEST(TableTest, WritesBytesInUnits) {
  EXPECT_EQ(BytesText(17), "17 B");
  EXPECT_EQ(BytesText(3 * 1024 + 205), "3.2 KiB");
  EXPECT_EQ(BytesText(INT64_MAX), "8.0 EiB");
}

TEST(TableTest, ShortensToTheWidth) {
  EXPECT_EQ(Shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(Shortened("abcdef", 5), "ab...");
  EXPECT_EQ(Shortened("abcdef", 3), "...");
  EXPECT_EQ(Shortened("abcdef", 2), "..");
  EXPECT_EQ(Shortened("abcdef", 0), "");
}

TEST(TableTest, ShortensBetweenCharacters) {
  EXPECT_EQ(Shortened("a\xc3\xa4oooo", 5), "a...");
  EXPECT_EQ(Shortened("a\xc3\xa4oooo", 6), "a\xc3\xa4...");
  EXPECT_EQ(Shortened("\xe2\x82\xacoooo", 5), "...");
  EXPECT_EQ(Shortened("\xf0\x9f\x98\x80oooo", 7), "\xf0\x9f\x98\x80...");
}

TEST(TableTest, CountsAnEscapedCellAsItIsShown) {
  EXPECT_EQ(FormatTable({{"\x1b", "b"}, {"a", "c"}}, {.indent = 0}),
            "\\x1b  b\na     c\n");
}

}  // namespace
}  // namespace leat::table_test
