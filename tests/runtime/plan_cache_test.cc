// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/plan_cache.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace leat::plan_cache_test {
namespace {

TEST(PlanCacheTest, KeepsTheFirstPlanOfAKey) {
  PlanCache<int> cache;
  EXPECT_EQ(cache.Find("k"), nullptr);
  const auto first = std::make_shared<int>(1);
  EXPECT_EQ(cache.Add("k", first), first);
  EXPECT_EQ(cache.Add("k", std::make_shared<int>(2)), first);
  EXPECT_EQ(cache.Find("k"), first);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(PlanCacheTest, ForgetsTheOldestAboveItsLimit) {
  PlanCache<size_t> cache;
  for (size_t i = 0; i < cache.kMaxPlans + 2; ++i) {
    cache.Add(absl::StrCat(i), std::make_shared<size_t>(i));
  }
  EXPECT_EQ(cache.size(), cache.kMaxPlans);
  EXPECT_EQ(cache.Find("0"), nullptr);
  EXPECT_EQ(cache.Find("1"), nullptr);
  ASSERT_NE(cache.Find("2"), nullptr);
  EXPECT_EQ(*cache.Find("2"), 2u);
  EXPECT_NE(cache.Find(absl::StrCat(cache.kMaxPlans + 1)), nullptr);
}

TEST(PlanCacheTest, ClearForgetsThemButNotThoseInUse) {
  PlanCache<int> cache;
  const auto used = cache.Add("k", std::make_shared<int>(7));
  cache.Clear();
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.Find("k"), nullptr);
  EXPECT_EQ(*used, 7);
  const auto next = std::make_shared<int>(8);
  EXPECT_EQ(cache.Add("k", next), next);
}

using Names = std::vector<std::string>;

TEST(PlanCacheTest, KeysTellSignaturesApart) {
  const std::vector<std::vector<Names>> signatures = {
      {{}, {}, {}},
      {{"a"}, {}, {}},
      {{}, {"a"}, {}},
      {{}, {}, {"a"}},
      {{"a", "b"}, {}, {}},
      {{"b", "a"}, {}, {}},
      {{"ab"}, {}, {}},
      {{"a"}, {"b"}, {}},
      // These names contain the bytes that separate the parts of a key.
      {{"a1:b"}, {}, {}},
      {{"a:b"}, {}, {}},
      {{"a,b"}, {}, {}},
      {{"a;"}, {}, {}},
      {{"a;;1:b"}, {}, {}},
      {{"1:a"}, {}, {}},
      {{std::string("a\0", 2)}, {}, {}},
  };
  std::vector<std::string> keys;
  for (const auto& s : signatures) {
    const std::string key = SignatureKey(s[0], s[1], s[2]);
    for (const std::string& other : keys) EXPECT_NE(key, other);
    keys.push_back(key);
  }
}

TEST(PlanCacheTest, NamesOfBothKindsGiveTheSameKey) {
  const std::vector<TensorName> names = {"x:0", "y"};
  const Names texts = {"x:0", "y"};
  EXPECT_EQ(SignatureKey(names, {}, names), SignatureKey(texts, {}, texts));
}

}  // namespace
}  // namespace leat::plan_cache_test
