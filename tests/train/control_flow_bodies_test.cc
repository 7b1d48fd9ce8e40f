// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how the bodies of branches and loops work together with the graph
// around them: second derivatives with respect to outer values, variables on
// other devices, side effects, updates, and names of outputs.
#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/train/nn/optimizers.h"

namespace leat::control_flow_bodies_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Outputs = std::vector<Output>;
using Variables = absl::Span<const Output>;

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

Outputs Gradients(const Output& y, const Outputs& xs) {
  const Output ys[] = {y};
  Outputs result;
  for (const Gradient& gradient : Gradients(ys, xs)) {
    EXPECT_FALSE(gradient.IsNone());
    result.push_back(gradient.AsDense());
  }
  return result;
}

// Runs the initializers of the variables. Returns the values of `outputs`,
// which are float scalars.
absl::StatusOr<std::vector<float>> Fetch(GraphBuilder& b,
                                         const Outputs& outputs,
                                         int num_cpus = 1) {
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(
      const std::shared_ptr<Session> session,
      NewTestSession(graph, {.devices = {.num_cpus = num_cpus}}));
  LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}).status());
  RunArgs args;
  for (const Output& output : outputs) args.fetches.push_back(output);
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session->Run(args));
  std::vector<float> result;
  for (const Tensor& tensor : fetched) result.push_back(tensor.scalar<float>());
  return result;
}

TEST(SecondDerivativeTest, OfABranchLeadsToAConstantOutside) {
  for (const bool is_case : {false, true}) {
    GraphBuilder b;
    const Output x = b.Const(2.0f, "x");
    const auto cube = [&] { return Outputs{x * x * x}; };
    const auto same = [&] { return Outputs{x}; };
    const Output y = is_case ? Case(b.Const<int32_t>(0), {cube, same})[0]
                             : Cond(b.Const(true), cube, same)[0];
    const Output first = Gradients(y, {x})[0];
    const Output second = Gradients(first, {x})[0];
    ASSERT_EQ(b.status(), absl::OkStatus());
    const auto values = Fetch(b, {y, first, second});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_THAT(*values, ElementsAre(8, 12, 12));
  }
}

TEST(SecondDerivativeTest, OfABranchLeadsThroughWhatKeepsAConstantsValue) {
  for (const bool is_reshape : {false, true}) {
    GraphBuilder b;
    const Output x = b.Const(2.0f, "x");
    const Output y = Cond(
        b.Const(true),
        [&] {
          const Output u = is_reshape
                               ? op::Reshape(x, Tensor::Vector<int32_t>({}))
                               : op::Identity(x);
          return Outputs{u * u * u};
        },
        [&] { return Outputs{x}; })[0];
    const Output first = Gradients(y, {x})[0];
    const Output second = Gradients(first, {x})[0];
    ASSERT_EQ(b.status(), absl::OkStatus());
    const auto values = Fetch(b, {first, second});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_THAT(*values, ElementsAre(12, 12));
  }
}

// Expects that y is x * w, or x * w * w if `is_loop` is true, and that the
// gradients of y are right. Computes y on two devices. x is 2 and w is 1.5.
void ExpectIsAProduct(const Output& y, const Variable& w, const Output& x,
                      bool is_loop) {
  GraphBuilder& b = *y.builder();
  const Outputs gradients = Gradients(y, {w.handle(), x});
  ASSERT_EQ(b.status(), absl::OkStatus());
  const auto values = Fetch(b, {y, gradients[0], gradients[1]}, 2);
  ASSERT_TRUE(values.ok()) << values.status();
  if (is_loop) {
    EXPECT_THAT(*values, ElementsAre(4.5f, 6, 2.25f));
  } else {
    EXPECT_THAT(*values, ElementsAre(3, 2, 1.5f));
  }
}

class VariableDeviceTest
    : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {};

// The three parameters are: whether the variable is read in the body of a loop,
// whether the body opens a device scope before it reads the variable, and
// whether the variable requests a device.
TEST_P(VariableDeviceTest, IsNotThatOfTheBodyThatReadsIt) {
  const auto [is_loop, scope_is_in_body, variable_has_device] = GetParam();
  GraphBuilder b;
  const Output x = b.Const(2.0f, "x");
  Variable w;
  {
    const Scope device = b.OnDevice(variable_has_device ? "/cpu:0" : "");
    w = b.Variable("w", b.Const(1.5f));
  }
  const std::string outer = scope_is_in_body ? "" : "/cpu:1";
  const std::string inner = scope_is_in_body ? "/cpu:1" : "";
  const auto product = [&b, &w, &inner](const Output& v) {
    const Scope device = b.OnDevice(inner);
    return v * w.value();
  };
  Output y;
  {
    const Scope device = b.OnDevice(outer);
    y = is_loop ? While(
                      {b.Const<int32_t>(0), x},
                      [&](Variables v) { return op::Less(v[0], 2); },
                      [&](Variables v) {
                        return Outputs{v[0] + 1, product(v[1])};
                      })[1]
                : Cond(
                      b.Const(true), [&] { return Outputs{product(x)}; },
                      [&] { return Outputs{x}; })[0];
  }
  ExpectIsAProduct(y, w, x, is_loop);
}

INSTANTIATE_TEST_SUITE_P(All, VariableDeviceTest,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Bool(),
                                            ::testing::Bool()));

// An op in a body reads a variable and requests no device. The op must get the
// device of the variable, not the device of the node that runs the body.
TEST(ResourceDeviceTest, IsThatOfAnOpWithoutADeviceInABody) {
  for (const bool is_loop : {false, true}) {
    GraphBuilder b;
    const Output x = b.Const(2.0f, "x");
    Variable w;
    {
      const Scope device = b.OnDevice("/cpu:0");
      w = b.Variable("w", b.Const(1.5f));
    }
    Output y;
    {
      const Scope device = b.OnDevice("/cpu:1");
      const auto read = [&] {
        return op::ReadVariableOp(w.handle(), DType::kFloat);
      };
      // The op also gets the variable's device if it is in a body within
      // another body.
      const auto nested = [&](const Output& v) {
        return Cond(
            op::Greater(v, 0.0f), [&] { return Outputs{v * read()}; },
            [&] { return Outputs{v}; });
      };
      y = is_loop ? While(
                        {x}, [&](Variables v) { return op::Less(v[0], 4.0f); },
                        [&](Variables v) { return nested(v[0]); })[0]
                  : Cond(
                        b.Const(true), [&] { return nested(x); },
                        [&] { return Outputs{x}; })[0];
    }
    ExpectIsAProduct(y, w, x, is_loop);
  }
}

TEST(EffectBranchTest, RunsAndIsWaitedFor) {
  for (const bool is_case : {false, true}) {
    GraphBuilder b;
    const Variable count = b.Variable("count", b.Const(0.0f));
    const Output pred = b.Placeholder<bool>("pred", Shape{});
    const auto add = [&] {
      op::AssignAddVariableOp(count.handle(), b.Const(1.0f));
    };
    const auto nothing = [] {};
    const Operation step =
        is_case ? Case(op::Cast(pred, DType::kInt32), {nothing, add})
                : Cond(pred, add, nothing);
    Output after;
    {
      const Scope wait = b.ControlDependencies({{step}});
      after = op::ReadVariableOp(count.handle(), DType::kFloat);
    }
    const absl::StatusOr<Graph> graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const auto session = NewTestSession(*graph);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Run({.targets = {graph->init_op()}}).ok());
    for (const bool value : {true, false, true}) {
      const auto ran = (*session)->Run(
          {.feeds = {{pred, Tensor::Scalar(value)}}, .targets = {step}});
      ASSERT_TRUE(ran.ok()) << ran.status();
    }
    for (int i = 3; i < 6; ++i) {
      const auto ran = (*session)->Run(
          {.feeds = {{pred, Tensor::Scalar(true)}}, .fetches = {after}});
      ASSERT_TRUE(ran.ok()) << ran.status();
      EXPECT_EQ((*ran)[0].scalar<float>(), i);
    }
  }
}

// The gradients keep the values of the innermost loop in nested lists: one
// level of lists for each loop.
TEST(NestedLoopsTest, HaveGradientsAsDeepAsTheBuilderMakesThem) {
  GraphBuilder b;
  const Output x = b.Const(3.0f, "x");
  const std::function<Output(int, Output)> loops = [&](int depth, Output v) {
    if (depth == 0) return v * v;
    return While(
        {b.Const<int32_t>(0), v}, [](Variables u) { return op::Less(u[0], 1); },
        [&](Variables u) {
          return Outputs{u[0] + 1, loops(depth - 1, u[1])};
        })[1];
  };
  const Output y = loops(32, x);
  const Outputs gradients = Gradients(y, {x});
  ASSERT_EQ(b.status(), absl::OkStatus());
  const auto values = Fetch(b, {y, gradients[0]});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(9, 6));
}

TEST(BodyUpdateTest, IsRefused) {
  GraphBuilder b;
  const Variable w = b.Variable("w", b.Const(3.0f));
  int line = 0;
  While(
      {b.Const<int32_t>(0)}, [&](Variables v) { return op::Less(v[0], 5); },
      [&](Variables v) {
        const Output loss = op::Square(w.value());
        line = __LINE__ + 1;
        nn::GradientDescent().Minimize(loss);
        return Outputs{v[0] + 1};
      });
  EXPECT_THAT(
      Message(b),
      AllOf(HasSubstr("GradientDescent"), HasSubstr("'while_body'"),
            HasSubstr("control_flow_bodies_test.cc:" + std::to_string(line))));

  GraphBuilder c;
  const Variable u = c.Variable("u", c.Const(3.0f));
  Cond(
      c.Const(true),
      [&] {
        const Output x = c.Const(1.0f);
        nn::Adam().ApplyGradients({{{.variable = u, .gradient = x}}});
        return Outputs{x};
      },
      [&] { return Outputs{c.Const(1.0f)}; });
  EXPECT_THAT(Message(c), AllOf(HasSubstr("Adam"), HasSubstr("'cond_then'")));
}

TEST(BodyOutputTest, IsNotFetchedFromTheGraph) {
  GraphBuilder b;
  const Output x = b.Const(2.0f, "x");
  const Output root =
      AddOp({.op = "Mul", .inputs = {x, Operand(100.0f)}, .name = "y"})
          .output(0);
  Output inner;
  Cond(
      b.Const(true),
      [&] {
        inner = AddOp({.op = "Mul", .inputs = {x, Operand(2.0f)}, .name = "y"})
                    .output(0);
        return Outputs{inner};
      },
      [&] { return Outputs{x}; });
  ASSERT_EQ(inner.name(), root.name());
  const auto values = Fetch(b, {inner});
  EXPECT_FALSE(values.ok());
  EXPECT_THAT(std::string(values.status().message()),
              HasSubstr("y:0 (of the body of cond_then)"));
  EXPECT_THAT(TensorName(inner.operation()).text, HasSubstr("cond_then"));
  EXPECT_EQ(TensorName(root).text, "y:0");
}

}  // namespace
}  // namespace leat::control_flow_bodies_test
