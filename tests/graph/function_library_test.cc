// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/function_library.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_addition.h"
#include "leat/graph/op_registry.h"

namespace leat::function_library_test {
namespace {

using ::testing::HasSubstr;

// Returns the function y = x + x.
Function Double() {
  Function function;
  function.signature.name = "Double";
  function.signature.inputs = {{.name = "x", .type = DType::kFloat}};
  function.signature.outputs = {{.name = "y", .type = DType::kFloat}};
  function.nodes = {{.name = "add",
                     .op = "AddV2",
                     .inputs = {"x", "x"},
                     .attrs = {{"T", DType::kFloat}}}};
  function.returns = {{"y", "add:z:0"}};
  return function;
}

std::shared_ptr<const Function> Shared(Function function) {
  return std::make_shared<const Function>(std::move(function));
}

TEST(FunctionLibraryTest, FindsWhatWasAdded) {
  FunctionLibrary library;
  EXPECT_TRUE(library.empty());
  ASSERT_TRUE(library.Add(Shared(Double())).ok());
  ASSERT_NE(library.Find("Double"), nullptr);
  EXPECT_EQ(library.Find("Double")->nodes.size(), 1u);
  EXPECT_EQ(library.Find("Triple"), nullptr);
  EXPECT_EQ(library.size(), 1u);
}

TEST(FunctionLibraryTest, TakesAnEqualFunctionAgainAndNoOther) {
  FunctionLibrary library;
  ASSERT_TRUE(library.Add(Shared(Double())).ok());
  const Function* const first = library.Find("Double");
  EXPECT_TRUE(library.Add(Shared(Double())).ok());
  Function other = Double();
  other.nodes[0].op = "Mul";
  const absl::Status status = library.Add(Shared(std::move(other)));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'Double'"));
  EXPECT_EQ(library.Find("Double"), first);
}

TEST(FunctionLibraryTest, RefusesFunctionsWithoutAName) {
  FunctionLibrary library;
  EXPECT_FALSE(library.Add(nullptr).ok());
  EXPECT_FALSE(library.Add(Shared(Function())).ok());
  EXPECT_TRUE(library.empty());
}

TEST(FunctionLibraryTest, CopiesAreIndependent) {
  FunctionLibrary library;
  ASSERT_TRUE(library.Add(Shared(Double())).ok());
  FunctionLibrary copy = library;
  EXPECT_EQ(copy.Find("Double"), library.Find("Double"));
  copy.Remove("Double");
  copy.Remove("Double");
  EXPECT_TRUE(copy.empty());
  EXPECT_NE(library.Find("Double"), nullptr);
}

TEST(FunctionLibraryTest, EveryPartOfAFunctionCounts) {
  EXPECT_TRUE(Equal(Double(), Double()));
  std::vector<Function> others(9, Double());
  others[0].signature.name = "Twice";
  others[1].signature.inputs[0].type = DType::kHalf;
  others[2].signature.is_stateful = true;
  others[3].nodes[0].attrs.Set("T", DType::kHalf);
  others[4].returns[0].second = "x";
  others[5].control_returns = {{"c", "add"}};
  others[6].control_outputs = {"c"};
  others[7].attrs.Set("_noinline", true);
  others[8].arg_attrs[0].Set("_user_specified_name", std::string("x"));
  for (size_t i = 0; i < others.size(); ++i) {
    EXPECT_FALSE(Equal(Double(), others[i])) << i;
  }
}

TEST(FunctionLibraryTest, AFunctionHasOneGradient) {
  FunctionLibrary library;
  EXPECT_EQ(library.Gradient("f"), "");
  ASSERT_TRUE(library.SetGradient("f", "g").ok());
  EXPECT_TRUE(library.SetGradient("f", "g").ok());
  EXPECT_EQ(library.Gradient("f"), "g");
  const absl::Status status = library.SetGradient("f", "h");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Cannot assign gradient function 'h' to 'f' because it "
                        "already has gradient function 'g'"));
}

TEST(FunctionLibraryTest, AnAdditionThatIsUndoneLeavesNoGradient) {
  Graph graph(BuiltinOps());
  ASSERT_TRUE(graph.functions().SetGradient("old", "before").ok());
  GraphAddition addition(graph);
  ASSERT_TRUE(addition.AddGradient("old", "before", graph).ok());
  ASSERT_TRUE(addition.AddGradient("f", "g", graph).ok());
  addition.Undo(graph);
  EXPECT_EQ(graph.functions().Gradient("f"), "");
  EXPECT_EQ(graph.functions().Gradient("old"), "before");
}

}  // namespace
}  // namespace leat::function_library_test
