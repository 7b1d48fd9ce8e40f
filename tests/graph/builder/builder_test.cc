// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/builder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"

namespace leat::builder_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id : graph.NodeIds()) names.push_back(graph.node(id).name());
  return names;
}

std::vector<std::string> Controls(const Operation& operation) {
  std::vector<std::string> names;
  const Graph& graph = operation.builder()->graph();
  for (NodeId id : graph.node(operation.id()).controls) {
    names.push_back(graph.node(id).name());
  }
  return names;
}

TEST(BuilderTest, NamesNodesAsTensorFlowsPythonDoes) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 3});
  EXPECT_EQ((x + 1.0f).operation().name(), "add");
  EXPECT_EQ((x + x).operation().name(), "add_1");
  {
    Scope scope = b.NameScope("layer");
    EXPECT_EQ((x * x).operation().name(), "layer/mul");
  }
  {
    Scope scope = b.NameScope("layer");
    EXPECT_EQ((x * x).operation().name(), "layer_1/mul");
  }
  {
    Scope again = b.NameScope("layer/");
    EXPECT_EQ(op::Relu(x).operation().name(), "layer/Relu");
  }
  // Names must differ by more than the case of their letters.
  EXPECT_EQ(op::Relu(x).operation().name(), "Relu");
  EXPECT_EQ(b.Const(1.0f, "relu").operation().name(), "relu_1");
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(BuilderTest, NumbersTakeTheDTypeOfTheirSiblings) {
  GraphBuilder b;
  Output x = b.Placeholder<double>("x");
  Output sum = x + 1;
  EXPECT_EQ(sum.dtype(), DType::kDouble);
  EXPECT_EQ(sum.operation().input(1).name(), "add/y:0");
  EXPECT_EQ(sum.operation().input(1).dtype(), DType::kDouble);
  Output total = op::Sum(x, 0);
  EXPECT_EQ(total.operation().input(1).dtype(), DType::kInt32);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(BuilderTest, RefusesANumberThatDoesNotFit) {
  GraphBuilder b;
  Output x = b.Placeholder<uint8_t>("x");
  const int line = __LINE__ + 1;
  Output y = x + 300;
  EXPECT_FALSE(y.IsValid());
  EXPECT_THAT(Message(b.status()),
              AllOf(HasSubstr("'add'"), HasSubstr("uint8"), HasSubstr("300"),
                    HasSubstr("builder_test.cc:" + std::to_string(line))));
}

TEST(BuilderTest, RefusesAFractionAsAnInteger) {
  GraphBuilder b;
  Output x = b.Placeholder<int32_t>("x");
  x * 2.5;
  EXPECT_THAT(Message(b.status()), HasSubstr("int32"));
}

TEST(BuilderTest, ReportsTheFirstErrorWithNodeAndCallSite) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 3});
  Output y = b.Placeholder<int32_t>("y", {2, 3});
  const int line = __LINE__ + 1;
  Output bad = op::AddV2(x, y);
  Output later = op::Relu(bad);
  EXPECT_FALSE(later.IsValid());
  EXPECT_EQ(later.name(), "");
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(Message(graph.status()),
              AllOf(HasSubstr("'AddV2'"), HasSubstr("'y'"),
                    HasSubstr("builder_test.cc:" + std::to_string(line))));
}

TEST(BuilderTest, ReportsShapesThatCanNeverRun) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 3});
  Output y = b.Placeholder<float>("y", {4, 5});
  op::MatMul(x, y);
  EXPECT_THAT(Message(b.status()), HasSubstr("'MatMul'"));
}

TEST(BuilderTest, RefusesOutputsOfAnotherBuilder) {
  GraphBuilder a, b;
  Output x = a.Placeholder<float>("x");
  Output y = b.Placeholder<float>("y");
  x + y;
  EXPECT_THAT(Message(a.status()),
              AllOf(HasSubstr("'add'"), HasSubstr("another GraphBuilder")));
  EXPECT_TRUE(b.status().ok());
}

TEST(BuilderTest, RefusesHandlesOfNoNode) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x");
  x + Output();
  EXPECT_THAT(Message(b.status()), HasSubstr("no node"));
  GraphBuilder c;
  op::Identity(Output(c.Placeholder<float>("x").operation(), 7));
  EXPECT_THAT(Message(c.status()), HasSubstr("output 7"));
  EXPECT_FALSE(op::Relu(Output()).IsValid());
}

// Numbers belong to no builder, so the first node that reads the result reports
// the error.
TEST(BuilderTest, RefusesOutputsMadeFromConstantsOnly) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x");
  Output two = op::Sqrt(op::Add(1.0f, 3.0f));
  EXPECT_FALSE(two.IsValid());
  const int line = __LINE__ + 1;
  EXPECT_FALSE(op::Mul(x, two).IsValid());
  EXPECT_TRUE(absl::IsInvalidArgument(b.status()));
  EXPECT_THAT(Message(b.status()),
              AllOf(HasSubstr("node 'Mul' (Mul): input 'y' comes from an op "
                              "function that was given constants only"),
                    HasSubstr("GraphBuilder::Const or AsOutput"),
                    HasSubstr("builder_test.cc:" + std::to_string(line))));

  GraphBuilder right;
  Output sum = op::Add(right.AsOutput(1.0f, DType::kFloat), 3.0f);
  EXPECT_TRUE(op::Mul(right.Placeholder<float>("x"), sum).IsValid());
  EXPECT_TRUE(right.status().ok()) << right.status();
}

TEST(BuilderTest, RefusesScopesThatEndOutOfOrder) {
  GraphBuilder b;
  auto outer = std::make_unique<Scope>(b.NameScope("outer"));
  Scope inner = b.NameScope("inner");
  outer.reset();
  EXPECT_THAT(Message(b.status()),
              AllOf(HasSubstr("'outer'"), HasSubstr("'outer/inner'")));
}

TEST(BuilderTest, AScopeMayOutliveItsBuilder) {
  auto b = std::make_unique<GraphBuilder>();
  Scope scope = b->NameScope("x");
  b.reset();
}

TEST(BuilderTest, MergesDeviceScopes) {
  GraphBuilder b;
  Scope job = b.OnDevice("/job:worker/task:1");
  Scope cpu = b.OnDevice("/cpu:1");
  Output x = b.Placeholder<float>("x");
  EXPECT_EQ(b.graph().node(x.operation().id()).def->device,
            "/job:worker/task:1/device:CPU:1");
  const Scope rocket = b.OnDevice("/rocket:1:2");
  EXPECT_THAT(Message(b.status()), HasSubstr("/rocket:1:2"));
}

TEST(BuilderTest, AddsControlEdgesOnceOnly) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x");
  Output y = op::Relu(x);
  const Operation first[] = {y.operation()};
  Scope after = b.ControlDependencies(first);
  Output z = op::Neg(x);
  EXPECT_THAT(Controls(z.operation()), ElementsAre("Relu"));
  // Neg(z) reads z, which already follows y. So Neg(z) needs no control edge
  // from y.
  EXPECT_THAT(Controls(op::Neg(z).operation()), ElementsAre());
  // Neg(y) reads y, so Neg(y) needs no control edge from y.
  EXPECT_THAT(Controls(op::Neg(y).operation()), ElementsAre());
  Scope none = b.NoControlDependencies();
  EXPECT_THAT(Controls(op::Neg(x).operation()), ElementsAre());
}

TEST(BuilderTest, DerivesSeedsAsTensorFlowsPythonDoes) {
  GraphBuilder b;
  EXPECT_EQ(b.OpSeeds(), std::make_pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(b.OpSeeds(5), std::make_pair(int64_t{87654321}, int64_t{5}));
  b.SetSeed(7);
  b.Const(1.0f);
  b.Const(1.0f);
  EXPECT_EQ(b.OpSeeds(), std::make_pair(int64_t{7}, int64_t{2}));
  EXPECT_EQ(b.OpSeeds(9), std::make_pair(int64_t{7}, int64_t{9}));
  b.SetSeed(0);
  EXPECT_EQ(b.OpSeeds(0), std::make_pair(int64_t{0}, int64_t{2147483647}));
}

TEST(BuilderTest, MakesAVariableWithInitializerAndRead) {
  GraphBuilder b;
  Variable w = b.Variable("w", b.Const(2.0f, "start"));
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(Names(*graph), ElementsAre("start", "w", "w/Assign",
                                         "w/Read/ReadVariableOp", "init"));
  EXPECT_EQ(graph->init_op(), "init");
  EXPECT_EQ(w.dtype(), DType::kFloat);
  EXPECT_EQ(w.shape(), PartialShape(Shape{}));
  EXPECT_EQ(w.handle().operation().attr<std::string>("shared_name"), "w");
  EXPECT_EQ(w.handle().operation().attr<std::vector<std::string>>("_class"),
            std::vector<std::string>{"loc:@w"});
  // The builder can still be used, and Build can be called again.
  b.Variable("w", b.Const(3.0f));
  graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node(graph->Find("init")).controls.size(), 2u);
}

TEST(BuilderTest, MakesReferenceVariables) {
  GraphBuilder b;
  Variable w = b.Variable("w", b.Const(2.0f), {.use_resource = false});
  EXPECT_TRUE(w.handle().is_ref());
  EXPECT_FALSE(w.value().is_ref());
  EXPECT_EQ(w.value().name(), "w/read:0");
  EXPECT_EQ(w.initializer().op(), "Assign");
  EXPECT_TRUE(b.Build().ok()) << b.status();
}

TEST(BuilderTest, SharesVariablesByScope) {
  GraphBuilder b;
  const auto get = [&](const Shape& shape) {
    return b.GetVariable("w", DType::kFloat, shape, [&] {
      return b.Const(Tensor::Filled<float>(shape, 0.0f), "zeros");
    });
  };
  Output first, second;
  {
    Scope scope = b.VariableScope("model");
    first = get(Shape{2}).handle();
    EXPECT_EQ(op::Identity(first).name(), "model/Identity:0");
  }
  {
    Scope scope = b.VariableScope("model");
    second = get(Shape{2}).handle();
    EXPECT_EQ(op::Identity(first).name(), "model_1/Identity:0");
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.name(), "model/w:0");
  EXPECT_NE(b.graph().Find("model/w/Initializer/zeros"), kNoNode);
  Scope scope = b.VariableScope("model");
  get(Shape{3});
  EXPECT_THAT(Message(b.status()),
              AllOf(HasSubstr("model/w"), HasSubstr("[3]")));
}

TEST(BuilderTest, NamesLayersInOrderAgainOnReentry) {
  GraphBuilder b;
  for (int i = 0; i < 2; ++i) {
    Scope scope = b.VariableScope("tower");
    EXPECT_EQ(b.LayerName("dense"), "dense");
    EXPECT_EQ(b.LayerName("dense"), "dense_1");
  }
  EXPECT_EQ(b.LayerName("dense"), "dense");
}

TEST(BuilderTest, GroupsOperations) {
  GraphBuilder b;
  const Operation all[] = {b.Const(1.0f).operation(), b.Const(2).operation()};
  EXPECT_THAT(Controls(b.Group(all, "both")), ElementsAre("Const", "Const_1"));
  const Operation invalid[] = {Operation()};
  b.Group(invalid);
  EXPECT_FALSE(b.status().ok());
}

}  // namespace
}  // namespace leat::builder_test
