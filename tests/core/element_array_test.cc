// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/element_array.h"

#include <utility>

#include "gtest/gtest.h"

namespace leat::element_array_test {
namespace {

ElementArray<int> OneToThree() {
  ElementArray<int> array;
  EXPECT_TRUE(array.Grow(3, HostAllocator()).ok());
  for (int i = 0; i < 3; ++i) array[i] = i + 1;
  return array;
}

TEST(ElementArrayTest, AnArrayThatWasMovedFromIsEmptyAndGrows) {
  ElementArray<int> from = OneToThree();
  ElementArray<int> to = std::move(from);
  EXPECT_EQ(to.span(), absl::MakeConstSpan({1, 2, 3}));
  EXPECT_EQ(from.size(), 0);
  ASSERT_TRUE(from.Grow(2, HostAllocator()).ok());
  EXPECT_EQ(from.span(), absl::MakeConstSpan({0, 0}));
  from = std::move(to);
  EXPECT_EQ(from.span(), absl::MakeConstSpan({1, 2, 3}));
  EXPECT_EQ(to.size(), 0);
  EXPECT_TRUE(to.Grow(1, HostAllocator()).ok());
}

TEST(ElementArrayTest, ASwapExchangesTheElements) {
  ElementArray<int> a = OneToThree(), b;
  std::swap(a, b);
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(b.span(), absl::MakeConstSpan({1, 2, 3}));
}

}  // namespace
}  // namespace leat::element_array_test
