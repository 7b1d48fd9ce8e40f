// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the structure of gradients. tests/train/gradient_check_test.cc and
// gradient_values_test.cc check the values of gradients.
#include "leat/graph/autodiff/gradients.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"

namespace leat::gradients_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Gradient One(const Output& y, const Output& x) {
  return Gradients({y}, {x})[0];
}

int Count(const GraphBuilder& b, absl::string_view op) {
  int count = 0;
  for (NodeId id : b.graph().NodeIds()) count += b.graph().node(id).op() == op;
  return count;
}

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

TEST(GradientsTest, NamesNodesUnderGradients) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 3});
  Output w = b.Placeholder<float>("w", {3, 4});
  Output y;
  {
    Scope scope = b.NameScope("dense");
    y = op::MatMul(x, w);
  }
  Gradient dw = One(y, w);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(dw.AsDense().name(), "gradients/dense/MatMul_grad/MatMul:0");
  EXPECT_EQ(dw.AsDense().shape(), (PartialShape{3, 4}));
}

TEST(GradientsTest, DoesNotBuildWhatNobodyAsksFor) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 3});
  Output w = b.Placeholder<float>("w", {3, 4});
  One(op::MatMul(x, w), w);
  EXPECT_EQ(Count(b, "MatMul"), 2);
}

TEST(GradientsTest, NeedsNoBroadcastArgsWhereShapesAreKnown) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 4});
  Output bias = b.Placeholder<float>("bias", {4});
  Gradient gradient = One(x * bias, bias);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(Count(b, "BroadcastGradientArgs"), 0);
  EXPECT_EQ(gradient.AsDense().shape(), (PartialShape{4}));
}

TEST(GradientsTest, UsesBroadcastArgsOnceWhereTheyAreNot) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 4});
  Output y = b.Placeholder<float>("y", {-1, 4});
  const Output zs[] = {x * y};
  const Output xs[] = {x, y};
  Gradients(zs, xs);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(Count(b, "BroadcastGradientArgs"), 1);
}

TEST(GradientsTest, AddsUpSeveralUses) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2});
  Gradient gradient = One(op::Sin(x) + op::Cos(x) + x, x);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(gradient.AsDense().operation().op(), "AddN");
  EXPECT_EQ(gradient.AsDense().operation().num_inputs(), 3);
}

TEST(GradientsTest, IsNoneWhereNoPathLeads) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2});
  Output y = b.Placeholder<float>("y", {2});
  EXPECT_TRUE(One(op::Sin(x), y).IsNone());
  EXPECT_TRUE(One(op::Sin(op::StopGradient(x)), x).IsNone());
  Output through_int = op::Cast(op::Cast(x, DType::kInt32), DType::kFloat);
  EXPECT_TRUE(One(through_int, x).IsNone());
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(GradientsTest, KeepsGatheredRowsSparse) {
  GraphBuilder b;
  Output table = b.Placeholder<float>("table", {10, 4});
  Output ids = b.Placeholder<int32_t>("ids", {-1});
  Output sum = op::GatherV2(table, ids, 0) + op::GatherV2(table, ids, 0);
  Gradient gradient = One(sum, table);
  ASSERT_TRUE(b.status().ok()) << b.status();
  ASSERT_TRUE(gradient.IsSparse());
  EXPECT_EQ(gradient.slices().values.operation().op(), "ConcatV2");
  Output dense = gradient.AsDense();
  EXPECT_EQ(dense.operation().op(), "UnsortedSegmentSum");
  EXPECT_EQ(dense.shape(), (PartialShape{10, 4}));
}

TEST(GradientsTest, MixedRowsAndTensorsBecomeATensor) {
  GraphBuilder b;
  Output table = b.Placeholder<float>("table", {10, 4});
  Output ids = b.Placeholder<int32_t>("ids", {3});
  Output rows = op::GatherV2(table, ids, 0);
  Output loss = op::L2Loss(rows) + op::L2Loss(table);
  Gradient gradient = One(loss, table);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_FALSE(gradient.IsSparse());
}

TEST(GradientsTest, ReachesVariablesThroughTheirReads) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 2});
  Variable resource =
      b.Variable("resource", b.Const(Tensor::Filled<float>(Shape{2, 2}, 1.0f)));
  Variable ref =
      b.Variable("ref", b.Const(Tensor::Filled<float>(Shape{2, 2}, 1.0f)),
                 {.use_resource = false});
  const Output ys[] = {x * resource.value() * ref.value()};
  const Output xs[] = {resource.handle(), ref.handle()};
  std::vector<Gradient> gradients = Gradients(ys, xs);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(gradients[0].AsDense().shape(), (PartialShape{2, 2}));
  EXPECT_EQ(gradients[1].AsDense().shape(), (PartialShape{2, 2}));
}

TEST(GradientsTest, RunsWhereTheOperationRuns) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2});
  Output y;
  {
    Scope device = b.OnDevice("/cpu:1");
    y = op::Sin(x);
  }
  Output dx = One(y, x).AsDense();
  EXPECT_EQ(b.graph().node(dx.operation().id()).def->device, "/device:CPU:1");
}

TEST(GradientsTest, RefusesControlFlowNamingTheNode) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2});
  Output p = b.Placeholder<bool>("p", Shape{});
  const auto branches = op::Switch(x, p);
  One(branches.output_true, x);
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'Switch'"), HasSubstr("gradient"),
                                HasSubstr("gradients_test.cc")));
}

TEST(GradientsTest, RefusesWhatHasNoGradient) {
  GraphBuilder b;
  Output x = b.Placeholder<int32_t>("x");
  One(x + x, x);
  EXPECT_THAT(Message(b), HasSubstr("int32"));
  GraphBuilder c;
  Output y = c.Placeholder<float>("y");
  One(op::PreventGradient(y, {.message = "not here"}), y);
  EXPECT_THAT(Message(c), HasSubstr("not here"));
}

TEST(GradientsTest, RefusesComplexValues) {
  {
    GraphBuilder b;
    Output x = b.Placeholder(DType::kComplex64, "x");
    EXPECT_TRUE(One(op::Square(x), x).IsNone());
    EXPECT_TRUE(absl::IsUnimplemented(b.status()));
    EXPECT_THAT(Message(b), HasSubstr("ys[0] (Square:0) is complex64: "
                                      "gradients of complex values are not"));
  }
  {  // the path from x to the result contains a complex value
    GraphBuilder b;
    Output x = b.Placeholder<double>("x");
    Output squared = op::Square(op::Cast(x, DType::kComplex128));
    EXPECT_TRUE(One(op::Cast(squared, DType::kDouble), x).IsNone());
    EXPECT_TRUE(absl::IsUnimplemented(b.status()));
    EXPECT_THAT(Message(b), HasSubstr("node 'Cast_1' (Cast) takes complex128"));
  }
  {  // the complex value is not on the path to x
    GraphBuilder b;
    Output x = b.Placeholder<float>("x");
    Output z = b.Placeholder(DType::kComplex64, "z");
    Output norm = op::Cast(op::Square(z), DType::kFloat);
    EXPECT_FALSE(One(x * norm, x).IsNone());
    EXPECT_TRUE(b.status().ok()) << b.status();
  }
}

TEST(GradientsTest, TakesVariables) {
  GraphBuilder b;
  const Variable w = b.Variable("w", {1.0f, 2.0f});
  const Output y = w * w;
  const std::vector<Gradient> gradients = Gradients({y}, {w}, {{3.0f, 4.0f}});
  EXPECT_EQ(gradients[0].AsDense().shape(), (PartialShape{2}));
  EXPECT_FALSE(Gradients({y}, {w.value()})[0].IsNone());
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(GradientsTest, OfNumbersAreAnError) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  EXPECT_TRUE(Gradients({x}, {1.0f})[0].IsNone());
  EXPECT_THAT(Message(b), HasSubstr("xs[0] is an output of no node"));
  EXPECT_TRUE(Gradients({1.0f}, {Output()})[0].IsNone());  // no builder
}

TEST(GradientsTest, RefusesGradYsOfAnotherTypeOrShape) {
  const auto message = [](auto make) {
    GraphBuilder b;
    Output x = b.Placeholder<float>("x", {2});
    const Output ys[] = {x, x * x};
    const Output xs[] = {x};
    const Output grad_ys[] = {x, make(b)};
    EXPECT_TRUE(Gradients(ys, xs, grad_ys)[0].IsNone());
    EXPECT_TRUE(absl::IsInvalidArgument(b.status()));
    return Message(b);
  };
  EXPECT_THAT(
      message([](GraphBuilder& b) {
        return b.Const(Tensor::Vector<int32_t>({1, 2}), "g");
      }),
      AllOf(HasSubstr("grad_ys[1] (g:0) is int32[2]"), HasSubstr("ys[1]"),
            HasSubstr("float[2]"), HasSubstr("gradients_test.cc")));
  EXPECT_THAT(message([](GraphBuilder& b) {
                return b.Const(Tensor::Vector<float>({1, 2, 3}), "g");
              }),
              HasSubstr("grad_ys[1] (g:0) is float[3]"));
}

TEST(GradientsTest, HandlesDeepChains) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2});
  Output y = x;
  for (int i = 0; i < 20000; ++i) y = op::Neg(y);
  EXPECT_FALSE(One(y, x).IsNone());
  EXPECT_TRUE(b.status().ok()) << b.status();
}

}  // namespace
}  // namespace leat::gradients_test
