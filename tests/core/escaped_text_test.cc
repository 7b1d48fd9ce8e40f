// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/escaped_text.h"

#include "gtest/gtest.h"

namespace leat::escaped_text_test {
namespace {

TEST(EscapedTextTest, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Escaped("a b\\"), "a b\\");
  EXPECT_EQ(Escaped("\x1b[31m\x7f\r"), "\\x1b[31m\\x7f\\x0d");
  EXPECT_EQ(Escaped(absl::string_view("a\0\n\t", 4)), "a\\x00\\n\\t");
  EXPECT_EQ(EscapedLines("a\n\tin b\x1b"), "a\n\tin b\\x1b");
  // U+009B is a single character that terminals obey like ESC [.
  EXPECT_EQ(Escaped("\xc2\x9b"), "\\xc2\\x9b");
}

TEST(EscapedTextTest, LeavesUtf8AndEscapesWhatIsNone) {
  for (const char* text : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xc2\xa0", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(Escaped(text), text);
  }
  EXPECT_EQ(Escaped("\xc3"), "\\xc3");
  EXPECT_EQ(Escaped("\xff"), "\\xff");
  EXPECT_EQ(Escaped("\x9b"), "\\x9b");
  EXPECT_EQ(Escaped("\xc0\x9b"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(Escaped("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // overlong
  EXPECT_EQ(Escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Escaped("\xe2\x82z"), "\\xe2\\x82z");
}

}  // namespace
}  // namespace leat::escaped_text_test
