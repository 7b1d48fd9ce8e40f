// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/attr.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::attr_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

FunctionRef Function(const std::string& name, AttrMap attrs) {
  return {name, std::make_shared<const AttrMap>(std::move(attrs))};
}

// Returns one value of every alternative of AttrValue.
std::vector<AttrValue> OneOfEach() {
  return {std::monostate(),
          std::string("text"),
          int64_t{-3},
          0.5f,
          true,
          DType::kFloat,
          PartialShape{2, -1},
          Tensor::Vector<int32_t>({1, 2}),
          Function("f", {{"T", DType::kHalf}}),
          AttrPlaceholder{"T"},
          EmptyList(),
          std::vector<std::string>{"a", "b"},
          std::vector<int64_t>{1, 2},
          std::vector<float>{1.5f},
          std::vector<bool>{true, false},
          std::vector<DType>{DType::kInt32},
          std::vector<PartialShape>{PartialShape()},
          std::vector<Tensor>{Tensor::Scalar<float>(1)},
          std::vector<FunctionRef>{{"g", nullptr}}};
}

TEST(AttrTest, TypeNamesAreThoseOfOpDefinitions) {
  std::vector<std::string> names;
  for (const AttrValue& value : OneOfEach()) {
    names.emplace_back(AttrTypeName(value));
  }
  EXPECT_THAT(
      names,
      ElementsAre("none", "string", "int", "float", "bool", "type", "shape",
                  "tensor", "func", "placeholder", "list", "list(string)",
                  "list(int)", "list(float)", "list(bool)", "list(type)",
                  "list(shape)", "list(tensor)", "list(func)"));
}

TEST(AttrTest, EveryKindEqualsItselfAndNoOther) {
  const std::vector<AttrValue> a = OneOfEach();
  const std::vector<AttrValue> b = OneOfEach();
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      EXPECT_EQ(a[i] == b[j], i == j) << i << " " << j;
      EXPECT_EQ(DebugString(a[i]) == DebugString(b[j]), i == j)
          << i << " " << j;
    }
  }
}

TEST(AttrTest, TensorsCompareByBytes) {
  const AttrValue a = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(a, AttrValue(Tensor::Vector<float>({1, 2})));
  EXPECT_NE(a, AttrValue(Tensor::Vector<float>({1, 3})));
  EXPECT_NE(a, AttrValue(Tensor::Of<float>({2, 1}, {1, 2})));
  EXPECT_NE(a, AttrValue(Tensor::Vector<int32_t>({1, 2})));
}

TEST(AttrTest, FunctionsWithoutAttrsEqualThoseWithNone) {
  EXPECT_EQ((FunctionRef{"f", nullptr}), Function("f", {}));
  EXPECT_FALSE((FunctionRef{"f", nullptr}) ==
               Function("f", {{"T", DType::kInt32}}));
  EXPECT_FALSE((FunctionRef{"f", nullptr}) == (FunctionRef{"g", nullptr}));
}

TEST(AttrTest, TextShowsValues) {
  EXPECT_EQ(DebugString(AttrValue(std::string("a\n\"b"))), "\"a\\n\\\"b\"");
  EXPECT_EQ(DebugString(AttrValue(std::vector<bool>{true, false})),
            "[true, false]");
  EXPECT_EQ(DebugString(AttrValue(0.1f)), "0.100000001");
  EXPECT_EQ(DebugString(AttrValue(-0.0f)), DebugString(AttrValue(0.0f)));
  EXPECT_EQ(DebugString(AttrValue(PartialShape{2, -1})), "[2,?]");
  EXPECT_EQ(DebugString(AttrValue(Function("f", {{"T", DType::kHalf}}))),
            "f[T=half]");
}

TEST(AttrTest, TextOfDeeplyNestedFunctionsEnds) {
  FunctionRef function{"f", nullptr};
  for (int i = 0; i < 1000; ++i) function = Function("f", {{"body", function}});
  EXPECT_LT(DebugString(AttrValue(function)).size(), 1000u);
}

TEST(AttrMapTest, FindsWhatWasSetWhateverTheOrder) {
  AttrMap attrs = {{"b", int64_t{2}}, {"a", int64_t{1}}, {"c", int64_t{3}}};
  attrs.Set("a", int64_t{10});
  EXPECT_EQ(attrs.size(), 3u);
  EXPECT_EQ(*attrs.Get<int64_t>("a"), 10);
  EXPECT_EQ(*attrs.Get<int64_t>("b"), 2);
  EXPECT_FALSE(attrs.Has("d"));
  EXPECT_EQ(
      attrs,
      (AttrMap{{"c", int64_t{3}}, {"b", int64_t{2}}, {"a", int64_t{10}}}));
  attrs.Erase("b");
  attrs.Erase("b");
  EXPECT_FALSE(attrs.Has("b"));
  EXPECT_EQ(attrs.size(), 2u);
}

TEST(AttrMapTest, FindsAmongMany) {
  AttrMap attrs;
  for (int64_t i = 0; i < 100; ++i) attrs.Set(absl::StrCat("a", i), i);
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(*attrs.Get<int64_t>(absl::StrCat("a", i)), i);
  }
  EXPECT_EQ(attrs.Find("a100"), nullptr);
}

TEST(AttrMapTest, GetRefusesMissingAndOtherTypes) {
  const AttrMap attrs = {{"T", DType::kFloat}, {"k", int64_t{1}}};
  const absl::Status missing = attrs.Get<int64_t>("q").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("'q'"));
  const absl::Status type = attrs.Get<int64_t>("T").status();
  EXPECT_EQ(type.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(type.message()), HasSubstr("'T'"));
  EXPECT_FALSE(attrs.Get<std::vector<int64_t>>("k").ok());
}

TEST(AttrMapTest, GetOrFallsBackOnlyWhenAbsent) {
  const AttrMap attrs = {{"k", int64_t{1}}};
  EXPECT_EQ(*attrs.GetOr<int64_t>("k", 5), 1);
  EXPECT_EQ(*attrs.GetOr<int64_t>("q", 5), 5);
  EXPECT_FALSE(attrs.GetOr<bool>("k", true).ok());
}

TEST(AttrMapTest, AnEmptyListReadsAsAnyList) {
  const AttrMap attrs = {{"l", EmptyList()}};
  EXPECT_TRUE(attrs.Get<std::vector<DType>>("l")->empty());
  EXPECT_TRUE(attrs.Get<std::vector<std::string>>("l")->empty());
  EXPECT_FALSE(attrs.Get<int64_t>("l").ok());
}

}  // namespace
}  // namespace leat::attr_test
