// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests calls of Gradients in the body of a Cond or a While, with respect to
// values from outside of the body. TensorFlow 2.15.1 gives the same numbers for
// calls of tf.gradients in the bodies of tf.cond and tf.while_loop. It returns
// None in the same cases.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/gradient_program.h"

namespace leat::gradients_in_bodies_test {
namespace {

using ::testing::ElementsAre;

using Variables = absl::Span<const Output>;

Outputs GradientsOf(const Outputs& ys, const Outputs& xs,
                    const Outputs& grad_ys = {}) {
  Outputs result;
  for (const Gradient& gradient : Gradients(ys, xs, grad_ys)) {
    EXPECT_FALSE(gradient.IsNone());
    result.push_back(gradient.AsDense());
  }
  return result;
}

// Runs a Cond that has `branch` as both of its branches. Returns the values of
// the outputs. REQUIRES: all outputs are scalars.
std::vector<double> InABranch(GradientProgram& p, BranchFunction branch) {
  const Outputs y = Cond(p.b.Const(true), branch, branch);
  EXPECT_EQ(p.b.status(), absl::OkStatus());
  std::vector<double> values;
  for (const Tensor& value : p.Fetch(y)) {
    values.push_back(value.scalar<double>());
  }
  return values;
}

// Runs a loop of two iterations. The loop variable is `start` in the first
// iteration and `start` + 1 in the second. In each iteration, `gradient`
// computes a gradient from the loop variable. Returns the gradient of the
// second iteration.
double InALoop(GradientProgram& p, const Output& start,
               absl::FunctionRef<Output(Output)> gradient) {
  const Output y = While(
      {p.b.Const<int32_t>(0), start, p.b.Const(0.0)},
      [&](Variables v) { return op::Less(v[0], 2); },
      [&](Variables v) {
        const Output g = gradient(v[1]);
        return Outputs{v[0] + 1, v[1] + 1.0, g};
      })[2];
  EXPECT_EQ(p.b.status(), absl::OkStatus());
  return p.Scalar(y);
}

TEST(GradientsInBodiesTest, GoThroughWhatABranchCaptures) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {3});
  const Output z = x * x;
  EXPECT_THAT(InABranch(p,
                        [&] {
                          return GradientsOf({z * x}, {x, z});
                        }),
              ElementsAre(27, 3));
}

TEST(GradientsInBodiesTest, MayBeOfWhatIsOutside) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {3});
  const Output z = x * x;
  const Output two = p.b.Const(2.0);
  EXPECT_THAT(
      InABranch(p,
                [&] {
                  return GradientsOf({z, z * x}, {x}, {two, p.b.Const(1.0)});
                }),
      ElementsAre(39));
}

TEST(GradientsInBodiesTest, OfWhatIsOutsideWithRespectToItselfAreOnes) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {3});
  EXPECT_THAT(InABranch(p, [&] { return GradientsOf({x}, {x}); }),
              ElementsAre(1));
}

TEST(GradientsInBodiesTest, GoThroughWhatALoopCaptures) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {3});
  const Output z = x * x;
  EXPECT_EQ(
      InALoop(p, x, [&](Output v) { return GradientsOf({v * z}, {x})[0]; }),
      24);
}

TEST(GradientsInBodiesTest, GoThroughControlFlowOutside) {
  for (const bool is_loop : {false, true}) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{}, {3});
    const Output z =
        is_loop ? While(
                      {p.b.Const<int32_t>(0), x},
                      [&](Variables v) { return op::Less(v[0], 2); },
                      [&](Variables v) {
                        return Outputs{v[0] + 1, v[1] * x};
                      })[1]
                : Cond(
                      p.b.Const(true), [&] { return Outputs{x * x * x}; },
                      [&] { return Outputs{x}; })[0];
    EXPECT_EQ(
        InALoop(p, x, [&](Output v) { return GradientsOf({v * z}, {x})[0]; }),
        108);
  }
}

TEST(GradientsInBodiesTest, GoThroughAllBodiesAround) {
  const double want[] = {1728, 1296, 432};
  for (size_t i = 0; i < 3; ++i) {
    GradientProgram p;
    const Output x = p.Input("x", Shape{}, {3});
    EXPECT_EQ(
        InALoop(p, x,
                [&](Output v) {
                  const Output m = x * v;
                  const Output q = m * m;
                  return Cond(
                      p.b.Const(true),
                      [&] {
                        return Outputs{GradientsOf({q * m}, {x, v, m})[i]};
                      },
                      [&] { return Outputs{v}; })[0];
                }),
        want[i]);
  }
}

TEST(GradientsInBodiesTest, GoThroughVariablesReadOutside) {
  GradientProgram p;
  const Variable w = p.b.Variable("w", p.b.Const(3.0));
  const Output square = w.value() * w.value();
  EXPECT_THAT(
      InABranch(
          p, [&] { return GradientsOf({square * w.value()}, {w.handle()}); }),
      ElementsAre(27));
}

TEST(GradientsInBodiesTest, AreDifferentiatedInTheirTurn) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {0.7});
  const Output z = op::Sin(x);
  const Output y = Cond(
      p.b.Const(true), [&] { return GradientsOf({z * op::Exp(x)}, {x}); },
      [&] { return Outputs{x}; })[0];
  p.Check(y);
}

TEST(GradientsInBodiesTest, TakeAVariableOfALoopForItself) {
  GradientProgram p;
  const Output x = p.Input("x", Shape{}, {3});
  InALoop(p, x, [&](Output v) {
    const Output ys[] = {v * v};
    const Output xs[] = {x, v};
    const std::vector<Gradient> gradients = Gradients(ys, xs);
    EXPECT_TRUE(gradients[0].IsNone());
    EXPECT_FALSE(gradients[1].IsNone());
    return v;
  });
}

TEST(GradientsInBodiesTest, BringNothingInThatTheyDoNotNeed) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Output unused = b.Placeholder<float>("unused", Shape{});
  const Output y = Cond(
      b.Const(true),
      [&] {
        const Output ys[] = {op::Exp(x)};
        const Output xs[] = {x, unused};
        const std::vector<Gradient> gradients = Gradients(ys, xs);
        EXPECT_TRUE(gradients[1].IsNone());
        return Outputs{gradients[0].AsDense()};
      },
      [&] { return Outputs{x}; })[0];
  EXPECT_EQ(b.status(), absl::OkStatus());
  EXPECT_EQ(y.operation().num_inputs(), 2);
}

}  // namespace
}  // namespace leat::gradients_in_bodies_test
