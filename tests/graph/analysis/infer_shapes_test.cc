// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/infer_shapes.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"

namespace leat::infer_shapes_test {
namespace {

class InferShapesTest : public ::testing::Test {
 protected:
  NodeId Add(const std::string& op, const std::string& name, AttrMap attrs,
             std::vector<Endpoint> inputs = {}) {
    NodeDef def{.name = name};
    def.op = BuiltinOps().Find(op);
    def.attrs = std::move(attrs);
    const auto id = graph_.Add(std::move(def), inputs);
    EXPECT_TRUE(id.ok()) << id.status();
    return id.value_or(kNoNode);
  }

  NodeId Placeholder(const std::string& name, PartialShape shape) {
    return Add("Placeholder", name,
               {{"dtype", DType::kFloat}, {"shape", std::move(shape)}});
  }

  // Adds a loop in which `body` computes the next value of the loop variable
  // from the previous value. Returns the Merge.
  template <class Body>
  NodeId Loop(NodeId initial, const Body& body) {
    const AttrMap type = {{"T", DType::kFloat}};
    const NodeId enter =
        Add("Enter", "enter",
            {{"T", DType::kFloat}, {"frame_name", std::string("loop")}},
            {{initial, 0}});
    const NodeId merge =
        Add("Merge", "merge", {{"T", DType::kFloat}, {"N", int64_t{2}}},
            {{enter, 0}, {enter, 0}});
    const NodeId condition =
        Add("Const", "condition",
            {{"dtype", DType::kBool}, {"value", Tensor::Scalar<bool>(true)}});
    const NodeId in_loop = Add("Enter", "condition_enter",
                               {{"T", DType::kBool},
                                {"frame_name", std::string("loop")},
                                {"is_constant", true}},
                               {{condition, 0}});
    const NodeId cond = Add("LoopCond", "cond", {}, {{in_loop, 0}});
    const NodeId branch =
        Add("Switch", "switch", type, {{merge, 0}, {cond, 0}});
    const NodeId next =
        Add("NextIteration", "next", type, {{body(Endpoint{branch, 1}), 0}});
    Add("Exit", "exit", type, {{branch, 0}});
    graph_.mutable_node(merge).inputs[1] = {next, 0};
    return merge;
  }

  PartialShape ShapeOf(const std::string& name) {
    const auto shapes = InferShapes(graph_);
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    if (!shapes.ok()) return {};
    return (*shapes)[graph_.Find(name)][0].shape;
  }

  Graph graph_{BuiltinOps()};
};

TEST_F(InferShapesTest, FollowsTheEdges) {
  const NodeId x = Placeholder("x", {-1, 3});
  const NodeId w = Placeholder("w", {3, 4});
  Add("MatMul", "y", {{"T", DType::kFloat}}, {{x, 0}, {w, 0}});
  EXPECT_EQ(ShapeOf("y"), PartialShape({-1, 4}));
}

TEST_F(InferShapesTest, NamesTheNodeThatCanNeverRun) {
  const NodeId x = Placeholder("x", {2, 3});
  Add("MatMul", "bad", {{"T", DType::kFloat}}, {{x, 0}, {x, 0}});
  const auto shapes = InferShapes(graph_);
  EXPECT_EQ(shapes.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(shapes.status().message().find("bad"), std::string::npos);
}

TEST_F(InferShapesTest, ALoopKeepsTheShapeThatItsBodyKeeps) {
  const NodeId x = Placeholder("x", {2, -1});
  Loop(x, [this](Endpoint value) {
    return Add("Neg", "body", {{"T", DType::kFloat}}, {value});
  });
  EXPECT_EQ(ShapeOf("merge"), PartialShape({2, -1}));
  EXPECT_EQ(ShapeOf("exit"), PartialShape({2, -1}));
}

TEST_F(InferShapesTest, ALoopForgetsTheExtentThatItsBodyChanges) {
  const NodeId x = Placeholder("x", {2, 3});
  Loop(x, [this](Endpoint value) {
    const NodeId axis =
        Add("Const", "axis",
            {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(0)}});
    const NodeId axis_in_loop = Add("Enter", "axis_enter",
                                    {{"T", DType::kInt32},
                                     {"frame_name", std::string("loop")},
                                     {"is_constant", true}},
                                    {{axis, 0}});
    return Add(
        "ConcatV2", "body",
        {{"N", int64_t{2}}, {"T", DType::kFloat}, {"Tidx", DType::kInt32}},
        {value, value, {axis_in_loop, 0}});
  });
  const PartialShape shape = ShapeOf("exit");
  // The axis is not a known constant inside of the loop, so at most the rank is
  // known.
  EXPECT_FALSE(shape.IsFullyKnown()) << shape.DebugString();
}

TEST_F(InferShapesTest, RemovedNodesHaveNoOutputs) {
  const NodeId x = Placeholder("x", {2});
  const NodeId y = Placeholder("y", {3});
  graph_.Remove(x);
  const auto shapes = InferShapes(graph_);
  ASSERT_TRUE(shapes.ok());
  EXPECT_TRUE((*shapes)[x].empty());
  EXPECT_EQ((*shapes)[y][0].shape, PartialShape({3}));
}

}  // namespace
}  // namespace leat::infer_shapes_test
