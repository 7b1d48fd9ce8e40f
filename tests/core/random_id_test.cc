// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/random_id.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace leat::random_id_test {
namespace {

constexpr int kCount = 10'000;

TEST(RandomIdTest, IdsDifferAndUseEveryBit) {
  std::set<uint64_t> ids;
  uint64_t ones = 0, zeros = 0;
  for (int i = 0; i < kCount; ++i) {
    const uint64_t id = RandomId();
    EXPECT_NE(id, 0u);
    ids.insert(id);
    ones |= id;
    zeros |= ~id;
  }
  EXPECT_EQ(ids.size(), static_cast<size_t>(kCount));
  EXPECT_EQ(ones, ~uint64_t{0});
  EXPECT_EQ(zeros, ~uint64_t{0});
}

TEST(RandomIdTest, HandlesHave32HexadecimalDigits) {
  std::set<std::string> handles;
  std::set<char> digits[32];
  for (int i = 0; i < kCount; ++i) {
    const std::string handle = RandomHandle();
    ASSERT_EQ(handle.size(), 32u);
    EXPECT_EQ(handle.find_first_not_of("0123456789abcdef"), std::string::npos)
        << handle;
    for (int digit = 0; digit < 32; ++digit) {
      digits[digit].insert(handle[static_cast<size_t>(digit)]);
    }
    handles.insert(handle);
  }
  EXPECT_EQ(handles.size(), static_cast<size_t>(kCount));
  for (const std::set<char>& seen : digits) EXPECT_EQ(seen.size(), 16u);
}

TEST(RandomIdTest, StepIdsArePositiveAndHave57Bits) {
  std::set<int64_t> ids;
  for (int i = 0; i < kCount; ++i) {
    const int64_t id = RandomStepId();
    EXPECT_GT(id, 0);
    EXPECT_LT(id, int64_t{1} << 57);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), static_cast<size_t>(kCount));
}

}  // namespace
}  // namespace leat::random_id_test
