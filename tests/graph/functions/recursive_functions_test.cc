// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/functions/recursive_functions.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::recursive_functions_test {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Adds a function that calls the functions `called`.
void Add(const std::string& name, const std::vector<std::string>& called,
         FunctionLibrary& library) {
  auto function = std::make_shared<Function>();
  function->signature.name = name;
  for (const std::string& each : called) {
    function->nodes.push_back({.name = "call_" + each, .op = each});
  }
  ASSERT_TRUE(library.Add(std::move(function)).ok());
}

TEST(RecursiveFunctionsTest, ChainsAndDiamondsAreNotRecursive) {
  FunctionLibrary library;
  EXPECT_THAT(RecursiveFunctions(library), IsEmpty());
  Add("a", {"b", "c", "Add"}, library);
  Add("b", {"d"}, library);
  Add("c", {"d", "d"}, library);
  Add("d", {}, library);
  EXPECT_THAT(RecursiveFunctions(library), IsEmpty());
}

TEST(RecursiveFunctionsTest, FindsCyclesAndWhatLiesBetweenThem) {
  FunctionLibrary library;
  Add("caller", {"itself"}, library);
  Add("itself", {"itself", "between", "leaf"}, library);
  Add("between", {"even"}, library);
  Add("even", {"odd"}, library);
  Add("odd", {"even", "leaf"}, library);
  Add("leaf", {}, library);
  EXPECT_THAT(RecursiveFunctions(library),
              UnorderedElementsAre("itself", "between", "even", "odd"));
}

TEST(RecursiveFunctionsTest, ASymbolicGradientCallsTheGradient) {
  FunctionLibrary library;
  Add("f", {}, library);
  auto gradient = std::make_shared<Function>();
  gradient->signature.name = "g";
  gradient->nodes.push_back({.name = "again",
                             .op = "SymbolicGradient",
                             .attrs = {{"f", FunctionRef{.name = "f"}}}});
  ASSERT_TRUE(library.Add(std::move(gradient)).ok());
  EXPECT_THAT(RecursiveFunctions(library), IsEmpty());
  ASSERT_TRUE(library.SetGradient("f", "g").ok());
  EXPECT_THAT(RecursiveFunctions(library), UnorderedElementsAre("g"));
}

}  // namespace
}  // namespace leat::recursive_functions_test
