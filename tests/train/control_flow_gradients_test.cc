// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the results of Cond, Case and While, and compares their gradients with
// central differences, in float64 on the CPU of this machine.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/gradient_program.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/optimizers.h"

namespace leat::control_flow_gradients_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Variables = absl::Span<const Output>;

// Applies `step` `count` times: first to `start`, and then to the previous
// result. `count` is an int32 scalar.
Output Repeat(const Output& count, const Output& start,
              absl::FunctionRef<Output(Output)> step) {
  GraphBuilder& b = *start.builder();
  return While(
      {b.Const<int32_t>(0), start},
      [&](Variables v) { return op::Less(v[0], count); },
      [&](Variables v) {
        return Outputs{v[0] + 1, step(v[1])};
      })[1];
}

TEST(CondGradientTest, TakesTheBranchThatWasTaken) {
  for (const double side : {1.0, -1.0}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.3 * side, 0.7});
    const Output w = p.Input("w", Shape{2}, {1.5, -0.5});
    const Output first = op::GatherV2(x, 0, 0);
    const Outputs y = Cond(
        op::Greater(first, 0.0),
        [&] {
          const Output h = op::Tanh(x * w);
          return Outputs{op::Exp(h) * h, op::Neg(x)};
        },
        [&] {
          return Outputs{op::Sin(x), x * x};
        });
    // Only the first branch uses w. If the second branch runs, w gets zeros as
    // its gradient.
    p.Check(Total(y[0] * y[1]));
  }
}

TEST(CondGradientTest, WorksWithShapesThatOnlyTheFeedsTell) {
  for (const double side : {1.0, -1.0}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.3 * side, 0.7}, false);
    const Output w = p.Input("w", Shape{2}, {1.5, -0.5}, false);
    const Output y = Cond(
        op::Greater(Total(x * w), 0.0),
        [&] { return Outputs{op::Exp(op::Tanh(x * w))}; },
        [&] { return Outputs{op::Sin(x)}; })[0];
    p.Check(Total(y));
  }
}

TEST(CondGradientTest, GivesWhatABranchReturnsFromOutside) {
  for (const bool pred : {true, false}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{}, {0.3});
    const Output w = p.Input("w", Shape{}, {1.5});
    const Output y = Cond(
        p.b.Const(pred), [&] { return Outputs{x}; },
        [&] { return Outputs{w * x}; })[0];
    p.Check(y * y + w);
  }
}

TEST(CondGradientTest, CaseTakesItsBranch) {
  for (const int32_t index : {0, 1, 2, 7}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.3, 0.7});
    const Output y =
        Case(p.b.Const(index),
             {[&] { return Outputs{x}; }, [&] { return Outputs{op::Exp(x)}; },
              [&] { return Outputs{x * x}; }})[0];
    p.Check(Total(y));
  }
}

TEST(CondGradientTest, Nests) {
  for (const double point : {0.5, -0.5, 2.0}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{}, {point});
    const Output w = p.Input("w", Shape{}, {1.5});
    const Output y = Cond(
        op::Greater(x, 0.0),
        [&] {
          const Output h = op::Exp(x);
          return Cond(
              op::Greater(x, 1.0), [&] { return Outputs{op::Sin(h * w)}; },
              [&] { return Outputs{op::Tanh(h) * w}; });
        },
        [&] { return Outputs{w * w * x}; })[0];
    p.Check(y);
  }
}

TEST(CondGradientTest, StopsWhereNoGradientFlows) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.5});
  const Output y = Cond(
      p.b.Const(true),
      [&] {
        return Outputs{op::StopGradient(x), op::Cast(x, DType::kInt32)};
      },
      [&] {
        return Outputs{op::StopGradient(x * x), p.b.Const<int32_t>(1)};
      })[0];
  const Output ys[] = {y};
  const Output xs[] = {x};
  EXPECT_TRUE(Gradients(ys, xs)[0].IsNone());
  EXPECT_EQ(p.b.status(), absl::OkStatus());
}

TEST(CondGradientTest, RowsOfABodyBecomeATensor) {
  for (const bool pred : {true, false}) {
    GradientProgram p;
    const Output table = p.Input("table", Shape{3, 2}, {1, 2, 3, 4, 5, 6});
    const Output ids = p.b.Const(Tensor::Vector<int32_t>({2, 0, 2}));
    const Output y = Cond(
        p.b.Const(pred),
        [&] { return Outputs{Total(op::Square(op::GatherV2(table, ids, 0)))}; },
        [&] { return Outputs{Total(table)}; })[0];
    p.Check(y);
  }
}

TEST(CondGradientTest, TwiceThroughTheSameNode) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.5});
  const Output y = Cond(
      p.b.Const(true), [&] { return Outputs{op::Sin(op::Exp(x)) + 1.0}; },
      [&] { return Outputs{x}; })[0];
  const Output square = y * y;
  const int outputs = y.operation().num_outputs();
  const Outputs first = p.Gradients(y);
  const int more = y.operation().num_outputs();
  EXPECT_GT(more, outputs);
  const Outputs second = p.Gradients(square);
  EXPECT_EQ(y.operation().num_outputs(), more);
  p.Check(y, first);
  p.Check(square, second);
}

TEST(CondGradientTest, SecondDerivatives) {
  for (const bool pred : {true, false}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{}, {0.5});
    const Output y = Cond(
        p.b.Const(pred), [&] { return Outputs{op::Exp(op::Sin(x))}; },
        [&] { return Outputs{x * x * x}; })[0];
    p.Check(p.Gradients(y)[0]);
  }
}

TEST(WhileGradientTest, ComputesAndDifferentiates) {
  for (const int32_t count : {0, 1, 5}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.3, 0.7});
    const Output w = p.Input("w", Shape{2}, {1.1, 0.9});
    const Output y = Repeat(p.b.Const(count), x,
                            [&](Output v) { return op::Sin(v) * w + v; });
    p.Check(Total(y * y) + Total(w));
  }
}

TEST(WhileGradientTest, WorksWithShapesThatOnlyTheFeedsTell) {
  for (const int32_t count : {0, 3}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.3, 0.7}, false);
    const Output w = p.Input("w", Shape{2}, {1.1, 0.9}, false);
    const Output y = Repeat(p.b.Const(count), x,
                            [&](Output v) { return op::Sin(v) * w + v; });
    p.Check(Total(y) + Total(w));
  }
}

TEST(WhileGradientTest, TheDataMayDecideHowOften) {
  for (const double point : {0.3, 3.0, 30.0}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{}, {point});
    const Output w = p.Input("w", Shape{}, {1.7});
    const Outputs r = While(
        {x}, [&](auto v) { return op::Less(v[0], 10.0); },
        [&](auto v) { return Outputs{v[0] * v[0] * w + v[0] * w}; });
    p.Check(r[0] * w);
  }
}

TEST(WhileGradientTest, StopsAtMaximumIterations) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {1.5});
  const Outputs r = While(
      {x}, [&](Variables) { return p.b.Const(true); },
      [&](Variables v) { return Outputs{v[0] * v[0]}; },
      {.maximum_iterations = 3});
  const Outputs gradients = p.Gradients(r[0]);
  EXPECT_NEAR(p.Scalar(r[0]), std::pow(1.5, 8), 1e-9);
  p.Check(r[0], gradients);
}

TEST(WhileGradientTest, VariablesMixAndSomeHaveNoGradient) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.4});
  const Output y = p.Input("y", Shape{}, {1.3});
  const Outputs r = While(
      {p.b.Const<int32_t>(0), x, y, p.b.Const(1.0)},
      [&](Variables v) { return op::Less(v[0], 4); },
      [&](Variables v) {
        const Output as_double = op::Cast(v[0], DType::kDouble);
        return Outputs{v[0] + 1, v[2] * op::Cos(v[1]) + as_double,
                       v[1] + op::StopGradient(v[2]) * 0.0, v[3] + 1.0};
      });
  p.Check(r[1] * 2.0 + r[2] * r[3]);
}

TEST(WhileGradientTest, GoesThroughVariablesThatPassOnTheirValues) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.4});
  const Outputs r = While(
      {p.b.Const<int32_t>(0), p.b.Const(1.0), p.b.Const(1.0), p.b.Const(1.0),
       x},
      [&](Variables v) { return op::Less(v[0], 4); },
      [&](Variables v) {
        return Outputs{v[0] + 1, op::Sin(v[2]), v[3] * v[3], op::Exp(v[4]),
                       v[4]};
      });
  p.Check(r[1]);
}

TEST(WhileGradientTest, RecurrentCellLearnsItsWeights) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{2, 3}, {.1, .2, .3, -.1, .5, -.4});
  const Output h0 = p.Input("h0", Shape{2, 2}, {0, .1, .2, -.3});
  const Output w = p.Input("w", Shape{3, 2}, {.3, -.2, .6, .1, -.5, .4});
  const Output u = p.Input("u", Shape{2, 2}, {.7, -.1, .2, .5});
  const Output bias = p.Input("bias", Shape{2}, {.1, -.2});
  const Output h = Repeat(p.b.Const<int32_t>(4), h0, [&](Output h) {
    return op::Tanh(op::MatMul(x, w) + op::MatMul(h, u) + bias);
  });
  p.Check(Total(op::Square(h)));
}

TEST(WhileGradientTest, RowsOfABodyBecomeATensor) {
  GradientProgram p;
  const Output table = p.Input("table", Shape{3, 2}, {1, 2, 3, 4, 5, 6});
  const Output y = While(
      {p.b.Const<int32_t>(0), p.b.Const(1.0)},
      [&](Variables v) { return op::Less(v[0], 3); },
      [&](Variables v) {
        const Output row = op::GatherV2(table, v[0], 0);
        return Outputs{v[0] + 1, v[1] * Total(op::Sin(row)) + Total(row)};
      })[1];
  p.Check(y);
}

TEST(WhileGradientTest, CondInWhile) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.4});
  const Output w = p.Input("w", Shape{}, {1.3});
  const Output y = Repeat(p.b.Const<int32_t>(6), x, [&](Output v) {
    return Cond(
        op::Less(v, 1.0), [&] { return Outputs{op::Exp(v) * w}; },
        [&] { return Outputs{op::Sin(v * w) * 0.5}; })[0];
  });
  p.Check(y);
}

TEST(WhileGradientTest, WhileInCond) {
  for (const bool pred : {true, false}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.4, 0.2});
    const Output w = p.Input("w", Shape{2}, {1.3, 0.8});
    const Output y = Cond(
        p.b.Const(pred),
        [&] {
          return Outputs{Repeat(p.b.Const<int32_t>(3), x,
                                [&](Output v) { return op::Sin(v) * w; })};
        },
        [&] { return Outputs{x * x}; })[0];
    p.Check(Total(y) + Total(w));
  }
}

TEST(WhileGradientTest, WhileInWhile) {
  for (const int32_t count : {0, 1, 3}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{2}, {0.4, 0.2});
    const Output w = p.Input("w", Shape{2}, {1.3, 0.8});
    const Output y = While(
        {p.b.Const<int32_t>(0), x},
        [&](Variables v) { return op::Less(v[0], count); },
        [&](Variables v) {
          const Output h = op::Exp(v[1] * 0.1);
          const Output inner =
              Repeat(v[0], v[1], [&](Output u) { return op::Sin(u) * w + h; });
          return Outputs{v[0] + 1, inner * h};
        })[1];
    p.Check(Total(y) + Total(w));
  }
}

TEST(WhileGradientTest, CondInWhileInCondInWhile) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.4});
  const Output w = p.Input("w", Shape{}, {1.3});
  const Output y = Repeat(p.b.Const<int32_t>(3), x, [&](Output v) {
    return Cond(
        op::Less(v, 0.8),
        [&] {
          return Outputs{Repeat(p.b.Const<int32_t>(2), v * w, [&](Output u) {
            return Cond(
                op::Less(u, 0.7), [&] { return Outputs{op::Exp(u * w)}; },
                [&] { return Outputs{op::Tanh(u) * w}; })[0];
          })};
        },
        [&] { return Outputs{op::Sin(v * w) * 0.5}; })[0];
  });
  p.Check(y);
}

TEST(WhileGradientTest, RunsOverDevices) {
  GradientProgram p;
  p.num_cpus = 2;
  const Output x = p.Input("x", Shape{2}, {0.3, 0.7});
  const Output w = p.Input("w", Shape{2}, {1.1, 0.9});
  const Output y = Repeat(p.b.Const<int32_t>(4), x, [&](Output v) {
    Scope device = p.b.OnDevice("/cpu:1");
    const Output h = op::Sin(v) * w;
    Scope other = p.b.OnDevice("/cpu:0");
    return Cond(
        op::Less(Total(h), 1.0), [&] { return Outputs{op::Exp(h) + v}; },
        [&] {
          Scope branch = p.b.OnDevice("/cpu:1");
          return Outputs{op::Tanh(h * v)};
        })[0];
  });
  p.Check(Total(y));
}

TEST(WhileGradientTest, GradientsInABody) {
  // Computes the square root of x by Newton's method, with the slope computed
  // in the body.
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {2.0});
  const Output root =
      Repeat(p.b.Const<int32_t>(6), p.b.Const(1.0), [&](Output v) {
        const Output ys[] = {v * v - x};
        const Output xs[] = {v};
        const Gradient slope = Gradients(ys, xs)[0];
        return v - ys[0] / slope.AsDense();
      });
  EXPECT_NEAR(p.Scalar(root), std::sqrt(2.0), 1e-9);
}

TEST(WhileGradientTest, GradientsOfALoopInABody) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.8});
  const Output w = p.Input("w", Shape{}, {1.3});
  // Takes two steps of gradient descent on sin(w sin(w sin(w x))).
  const Output y = Repeat(p.b.Const<int32_t>(2), x, [&](Output v) {
    const Output ys[] = {Repeat(p.b.Const<int32_t>(3), v,
                                [&](Output u) { return op::Sin(u * w); })};
    const Output xs[] = {v};
    return v - Gradients(ys, xs)[0].AsDense() * 0.1;
  });
  double want = 0.8;
  for (int step = 0; step < 2; ++step) {
    double u = want, slope = 1;
    for (int i = 0; i < 3; ++i) {
      slope *= 1.3 * std::cos(1.3 * u);
      u = std::sin(1.3 * u);
    }
    want -= 0.1 * slope;
  }
  EXPECT_NEAR(p.Scalar(y), want, 1e-12);
  const Output ys[] = {y};
  const Output xs[] = {x};
  Gradients(ys, xs);
  EXPECT_EQ(p.b.status().code(), absl::StatusCode::kUnimplemented);
}

TEST(WhileGradientTest, TwiceThroughTheSameLoop) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.5});
  const Output y = Repeat(p.b.Const<int32_t>(3), x,
                          [&](Output v) { return op::Sin(v) * v; });
  const Outputs first = p.Gradients(y);
  const int outputs = y.operation().num_outputs();
  const Output square = y * y;
  const Outputs second = p.Gradients(square);
  EXPECT_EQ(y.operation().num_outputs(), outputs);
  p.Check(y, first);
  p.Check(square, second);
}

TEST(WhileGradientTest, RefusesSecondDerivatives) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.5});
  const Output y =
      Repeat(p.b.Const<int32_t>(3), x, [&](Output v) { return op::Sin(v); });
  const Output ys[] = {p.Gradients(y)[0]};
  const Output xs[] = {x};
  Gradients(ys, xs);
  EXPECT_EQ(p.b.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(p.b.status().message()),
              AllOf(HasSubstr("second derivatives"), HasSubstr("While")));
}

TEST(WhileGradientTest, RandomNumbersAreNotDrawnAgain) {
  GradientProgram p;
  p.b.SetSeed(5);
  const Output x = p.Input("x", Shape{}, {0.5});
  const Output none = p.b.Const(Tensor::Vector<int32_t>({}));
  // y is the product of x and all random factors. So dy/dx is the product of
  // the random factors, which equals y / x.
  const Output y = Repeat(p.b.Const<int32_t>(3), x, [&](Output v) {
    return v * (1.0 + op::RandomUniform(none, DType::kDouble,
                                        {.seed = 3, .seed2 = 4}));
  });
  const Outputs gradients = p.Gradients(y);
  for (int i = 0; i < 3; ++i) {
    const std::vector<Tensor> result = p.Fetch({y, gradients[0]});
    ASSERT_EQ(result.size(), 2u);
    EXPECT_DOUBLE_EQ(result[0].data<double>()[0] / 0.5,
                     result[1].data<double>()[0]);
  }
}

TEST(CondTrainingTest, NormalizesABatchInABranch) {
  GraphBuilder b;
  const Output training = b.Placeholder<bool>("training", Shape{});
  const Output x = b.Const(
      Tensor::FromSpan<float>(Shape{4, 1}, std::vector<float>{1, 2, 3, 6}));
  const auto normalized = [&](bool in_training) {
    return Outputs{nn::BatchNormalization(
        x, {.training = in_training, .momentum = 0.5, .name = "norm"})};
  };
  const Output y = Cond(
      training, [&] { return normalized(true); },
      [&] { return normalized(false); })[0];
  const Output loss =
      op::Mean(op::Square(y - 1.0f), Tensor::Vector<int32_t>({0, 1}));
  const Operation step =
      nn::GradientDescent({.learning_rate = 0.1}).Minimize(loss);
  ASSERT_EQ(b.variables().size(), 4u);
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run({.targets = {graph->init_op()}}).ok());
  const auto mean = [&] {
    const auto result =
        (*session)->Run({.fetches = {"norm/moving_mean/Read/ReadVariableOp"}});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? (*result)[0].data<float>()[0] : NAN;
  };
  const auto run = [&](bool in_training) {
    const auto result =
        (*session)->Run({.feeds = {{training, Tensor::Scalar(in_training)}},
                         .targets = {step}});
    EXPECT_TRUE(result.ok()) << result.status();
  };
  EXPECT_FLOAT_EQ(mean(), 0);
  run(false);
  EXPECT_FLOAT_EQ(mean(), 0);
  run(true);
  EXPECT_FLOAT_EQ(mean(), 1.5);
}

// The training step updates w. The update must wait for each loop that the loss
// or another update of the builder needs, because these loops read w.
// StopGradient keeps gradients out of the loop of the loss, but the update must
// wait for this loop, too.
TEST(LoopUpdateTest, WaitsForTheBodiesThatReadTheVariable) {
  GraphBuilder b;
  const Variable w = b.Variable("w", b.Const(2.0f));
  const Output n = b.Const<int32_t>(3);
  const auto loop = [&] {
    return Repeat(n, b.Const(1.0f), [&](Output v) { return v * w.value(); });
  };
  const Output of_loss = loop();
  const Output of_update = loop();
  const Output unrelated = loop();
  b.AddUpdate(op::Neg(of_update).operation());
  const Output loss = op::Square(w.value()) + op::StopGradient(of_loss);
  nn::GradientDescent({.learning_rate = 0.1}).Minimize(loss);
  ASSERT_EQ(b.status(), absl::OkStatus());
  int updates = 0;
  for (const NodeId id : b.graph().NodeIds()) {
    const Node& node = b.graph().node(id);
    if (node.op() != "ResourceApplyGradientDescent") continue;
    ++updates;
    EXPECT_THAT(node.controls, ::testing::Contains(of_loss.operation().id()));
    EXPECT_THAT(node.controls, ::testing::Contains(of_update.operation().id()));
    EXPECT_THAT(
        node.controls,
        ::testing::Not(::testing::Contains(unrelated.operation().id())));
  }
  EXPECT_EQ(updates, 1);
}

class LoopTrainingTest : public ::testing::TestWithParam<bool> {};

// Trains a recurrent network whose loop reads the variables in its body.
TEST_P(LoopTrainingTest, MinimizesALossWithALoop) {
  GraphBuilder b;
  b.SetSeed(1);
  const Output x = b.Const(Tensor::FromSpan<float>(
      Shape{4, 2}, std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1}));
  const Output labels = b.Const(
      Tensor::FromSpan<float>(Shape{4, 1}, std::vector<float>{0, 1, 1, 0}));
  const Output state = While(
      {b.Const<int32_t>(0),
       op::Fill(Tensor::Vector<int32_t>({4, 8}), b.Const(0.0f))},
      [&](Variables v) { return op::Less(v[0], 3); },
      [&](Variables v) {
        const Output in = op::ConcatV2({x, v[1]}, 1);
        return Outputs{v[0] + 1, nn::Dense(in, {.units = 8,
                                                .activation = nn::tanh,
                                                .name = "cell"})};
      })[1];
  const Output y = nn::Dense(state, {.units = 1, .name = "out"});
  const Output loss =
      op::Mean(op::Square(y - labels), Tensor::Vector<int32_t>({0, 1}));
  ASSERT_EQ(b.TrainableVariables().size(), 4u);
  const Operation step =
      GetParam() ? nn::Adam({.learning_rate = 0.02}).Minimize(loss)
                 : nn::GradientDescent({.learning_rate = 0.1}).Minimize(loss);
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run({.targets = {graph->init_op()}}).ok());
  float first = 0, last = 0;
  for (int i = 0; i < 300; ++i) {
    auto result = (*session)->Run({.fetches = {loss}, .targets = {step}});
    ASSERT_TRUE(result.ok()) << result.status();
    last = (*result)[0].data<float>()[0];
    if (i == 0) first = last;
  }
  EXPECT_GT(first, 0.1f);
  EXPECT_LT(last, 0.05f);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, LoopTrainingTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Adam" : "GradientDescent";
                         });

}  // namespace
}  // namespace leat::control_flow_gradients_test
