// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/session.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace leat::session_test {
namespace {

TEST(SessionTargetTest, IsAnyTextAndEmptyForANullPointer) {
  const char* const unset = nullptr;  // as getenv() returns it
  EXPECT_EQ(SessionTarget(unset).text, "");
  EXPECT_EQ(SessionOptions{.target = unset}.target.text, "");
  EXPECT_EQ(SessionTarget("a").text, "a");
  EXPECT_EQ(SessionTarget(absl::string_view("ab", 1)).text, "a");
  EXPECT_EQ(SessionTarget(std::string("a")).text, "a");
}

}  // namespace
}  // namespace leat::session_test
