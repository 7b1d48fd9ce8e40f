// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/json.h"

#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/quoted_text.h"

namespace leat::json_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = JsonValue::Kind;

std::string ErrorOf(const std::string& text) {
  const auto value = ParseJson(text);
  EXPECT_FALSE(value.ok()) << text;
  if (value.ok()) return "";
  EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(value.status().message());
}

std::string Nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonTest, ReadsEveryKindOfValue) {
  const auto value = ParseJson(
      R"({"a": [1, -2, 1.0, 18446744073709551615, "\u00e4\n"], "b": {},
          "": null, "c": true})");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_THAT(value->keys, ElementsAre("a", "b", "", "c"));
  ASSERT_EQ(value->values.size(), 4u);
  const JsonValue* a = value->Find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->kind, Kind::kArray);
  ASSERT_EQ(a->values.size(), 5u);
  EXPECT_EQ(a->values[0].integer, 1);
  EXPECT_EQ(a->values[1].integer, -2);
  for (const int no_integer : {2, 3}) {
    EXPECT_EQ(a->values[no_integer].kind, Kind::kNumber);
    EXPECT_EQ(a->values[no_integer].integer, std::nullopt);
  }
  const double numbers[] = {1, -2, 1, 18446744073709551615.0};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    EXPECT_EQ(a->values[i].number, numbers[i]);
  }
  EXPECT_EQ(a->values[4].text, "\xc3\xa4\n");
  EXPECT_TRUE(value->Find("b")->is_object());
  EXPECT_EQ(value->Find("")->kind, Kind::kNull);
  EXPECT_EQ(value->Find("c")->KindText(), "a boolean");
  EXPECT_EQ(value->Find("d"), nullptr);
  EXPECT_EQ(a->Find("a"), nullptr);
}

TEST(JsonTest, TellsByteAndLineOfWhatIsNoJson) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "byte 1, line 1: "},
      {"{\"ps\" 1}",
       "byte 7, line 1: unexpected number literal; "
       "expected ':'"},
      {"{\n  \"ps\":\n  [1,]}", "byte 16, line 3: unexpected ']'"},
      {"{} x", "byte 4, line 1: invalid literal; expected end of input"},
      {"{\"a\":1", "byte 7, line 1: unexpected end of input; expected '}'"},
      {"[1e999]", "byte 6, line 1: a number is too large"},
      {"\n\n'a'", "byte 3, line 3: invalid literal"},
      {"\"\xff\"", "byte 2, line 1: invalid string: ill-formed UTF-8 byte"},
      {"// a\n1", "byte 1, line 1: "},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(ErrorOf(text), HasSubstr(message)) << text;
  }
}

TEST(JsonTest, DoesNotRepeatALongTextInItsMessage) {
  const std::string error = ErrorOf("\"" + std::string(1000, 'x') + "\n\"");
  EXPECT_THAT(error, HasSubstr("byte 1002, line 1: invalid string"));
  EXPECT_THAT(error, Not(HasSubstr("xxx")));
  const std::string twice = "\"" + std::string(1000, 'x') + "\": 0";
  EXPECT_LT(ErrorOf("{" + twice + "," + twice + "}").size(), 200u);
  EXPECT_EQ(QuotedText("a\n'"), "'a\\n\\''");
  EXPECT_EQ(QuotedText(std::string(81, 'x')),
            "'" + std::string(80, 'x') + "...'");
}

TEST(JsonTest, RefusesAKeyThatStandsTwiceInAnObject) {
  EXPECT_EQ(
      ErrorOf("{\"a\": 1,\n \"b\": {\"a\": 2}, \"a\": 3}"),
      "the JSON text is wrong at byte 28, line 2: the key 'a' is twice in "
      "an object");
  EXPECT_TRUE(ParseJson("[{\"a\": 1}, {\"a\": 2}]").ok());
}

TEST(JsonTest, RefusesWhatStandsDeeperThan32) {
  EXPECT_TRUE(ParseJson(Nested(kMaxJsonDepth)).ok());
  EXPECT_EQ(
      ErrorOf(Nested(kMaxJsonDepth + 1)),
      "the JSON text is wrong at byte 33, line 1: values are nested deeper "
      "than 32");
  EXPECT_THAT(ErrorOf(std::string(1 << 20, '[')), HasSubstr("deeper"));
}

TEST(JsonTest, RefusesATextAboveAMebibyte) {
  const std::string space(kMaxJsonBytes - 2, ' ');
  EXPECT_TRUE(ParseJson("{}" + space).ok());
  EXPECT_EQ(ErrorOf("{} " + space),
            "the JSON text has 1048577 bytes, and at most 1048576 are read");
}

// A zero byte must not end the text. Otherwise the parser would ignore
// everything after it.
TEST(JsonTest, RefusesAZeroByte) {
  EXPECT_EQ(ErrorOf(std::string("{}\n\0}", 5)),
            "the JSON text is wrong at byte 4, line 2: there is a byte that is "
            "zero");
}

}  // namespace
}  // namespace leat::json_test
