// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/equal.h"

#include "leat/tests/graph/graph_testing.h"

namespace leat::equal_test {
namespace {

using ::testing::HasSubstr;

std::string Sum(const std::string& x, const std::string& y,
                const std::string& more = {}) {
  return FloatPlaceholder("x") + FloatPlaceholder("y") +
         NodeText("sum", "Add", {x, y}, Float() + more);
}

TEST(EqualTest, IgnoresTheOrderOfNodes) {
  const Graph a = Imported(FloatPlaceholder("x") + FloatPlaceholder("y"));
  const Graph b = Imported(FloatPlaceholder("y") + FloatPlaceholder("x"));
  EXPECT_TRUE(Equal(a, b));
}

TEST(EqualTest, TellsNodesThatOnlyOneGraphHas) {
  const Graph a = Imported(FloatPlaceholder("x"));
  const Graph b = Imported(NodeText("n", "NoOp"));
  EXPECT_EQ(Difference(a, b),
            "node 'x' (op Placeholder) is only in the first\n"
            "node 'n' (op NoOp) is only in the second\n");
}

TEST(EqualTest, TellsOpsInputsAndControls) {
  EXPECT_EQ(Difference(Imported(Sum("x", "y")), Imported(Sum("x", "x"))),
            "node 'sum': input 1 is 'y' and 'x'\n");
  const std::string x = FloatPlaceholder("x");
  EXPECT_EQ(Difference(Imported(x + NodeText("n", "NoOp", {"^x"})),
                       Imported(x + NodeText("n", "NoOp"))),
            "node 'n': control inputs is 'x' and ''\n");
  EXPECT_THAT(Difference(Imported(x + NodeText("n", "NoOp")),
                         Imported(x + NodeText("n", "Neg", {"x"}, Float()))),
              HasSubstr("node 'n': op is 'NoOp' and 'Neg'"));
}

TEST(EqualTest, TellsAttrsAndIgnoresAnnotationsOnRequest) {
  const Graph a = Imported(Sum("x", "y"));
  const Graph b = Imported(Sum("x", "y", Attr("_note", "i: 3")));
  EXPECT_EQ(Difference(a, b), "node 'sum': attr '_note' is absent and 3\n");
  EXPECT_EQ(Difference(b, a), "node 'sum': attr '_note' is 3 and absent\n");
  EXPECT_TRUE(Equal(a, b, {.annotations = false}));
}

TEST(EqualTest, TellsDevicesUnlessTold) {
  const Graph a =
      Imported("node { name: \"n\" op: \"NoOp\" device: \"/cpu:0\" }");
  const Graph b = Imported(NodeText("n", "NoOp"));
  EXPECT_EQ(Difference(a, b), "node 'n': device is '/cpu:0' and ''\n");
  EXPECT_TRUE(Equal(a, b, {.devices = false}));
}

TEST(EqualTest, TellsVersionsAndFunctions) {
  Graph a = Imported("library { function { signature { name: \"f\" } } }");
  Graph b = Imported(
      "library { function { signature { name: \"f\" } node_def { name: \"n\" "
      "op: \"NoOp\" } } function { signature { name: \"g\" } } }");
  b.producer = 3;
  EXPECT_EQ(Difference(a, b),
            "producer is '0' and '3'\n"
            "functions 'f' differ: 0 and 1 nodes\n"
            "function 'g' is only in the second\n");
  EXPECT_TRUE(Equal(a, b, {.functions = false, .versions = false}));
}

TEST(EqualTest, CountsDifferencesBeyondTheLimit) {
  std::string text;
  for (char c = 'a'; c < 'f'; ++c) text += NodeText(std::string(1, c), "NoOp");
  EXPECT_EQ(Difference(Imported(text), Graph(FewOps()), {.max_differences = 1}),
            "node 'a' (op NoOp) is only in the first\n... and 4 more\n");
}

TEST(EqualTest, ComparesTensorsByTheirBytes) {
  EXPECT_TRUE(EqualAttrValues(Tensor::Vector<float>({1, 2}),
                              Tensor::Vector<float>({1, 2})));
  EXPECT_FALSE(EqualAttrValues(Tensor::Vector<float>({1, 2}),
                               Tensor::Vector<float>({1, 3})));
  EXPECT_FALSE(EqualAttrValues(0.0f, -0.0f));
}

TEST(EqualTest, EqualsEmptyListsWhereATypeIsNotKnown) {
  EXPECT_TRUE(EqualAttrValues(EmptyList(), std::vector<int64_t>()));
  EXPECT_FALSE(EqualAttrValues(std::vector<float>(), std::vector<int64_t>()));
  EXPECT_FALSE(EqualAttrValues(EmptyList(), std::vector<int64_t>{1}));
}

}  // namespace
}  // namespace leat::equal_test
