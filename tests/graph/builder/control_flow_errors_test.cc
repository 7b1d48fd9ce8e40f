// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which graphs Cond, Case and While refuse, and the messages of the
// errors.
#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/ops.h"

namespace leat::control_flow_errors_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Outputs = std::vector<Output>;
using Variables = absl::Span<const Output>;

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

std::string Here(int line) {
  return "control_flow_errors_test.cc:" + std::to_string(line);
}

TEST(ControlFlowErrorsTest, RefusesBranchesThatDiffer) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const int line = __LINE__ + 1;
  const Outputs y = Cond(
      b.Const(true),
      [&] {
        return Outputs{x, x};
      },
      [&] { return Outputs{x}; });
  EXPECT_EQ(y.size(), 2u);
  EXPECT_FALSE(y[1].IsValid());
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("'cond'"), HasSubstr("2 ('cond_then'"),
                    HasSubstr("1 ('cond_else'"), HasSubstr(Here(line))));
  EXPECT_FALSE(b.Build().ok());

  GraphBuilder c;
  const Output z = c.Placeholder<float>("z", Shape{});
  Cond(
      c.Const(true), [&] { return Outputs{z}; },
      [&] { return Outputs{op::Cast(z, DType::kInt32)}; });
  EXPECT_THAT(Message(c), AllOf(HasSubstr("float"), HasSubstr("int32")));
}

TEST(ControlFlowErrorsTest, RefusesAPredicateThatIsNoBoolScalar) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  Cond(
      x, [&] { return Outputs{x}; }, [&] { return Outputs{x}; });
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'cond'"), HasSubstr("predicate"),
                                HasSubstr("float[2]")));
  GraphBuilder c;
  const Output y = c.Placeholder<float>("y", {2});
  While(
      {y}, [&](Variables v) { return op::Less(v[0], 1.0f); },
      [&](Variables v) { return Outputs{v[0]}; });
  EXPECT_THAT(Message(c), AllOf(HasSubstr("'while'"), HasSubstr("condition"),
                                HasSubstr("bool[2]")));
  GraphBuilder d;
  const Output z = d.Placeholder<float>("z", {2});
  const Operation none(&d, kNoNode);
  const Outputs r = Cond(
      Output(none, 0),
      [&] {
        return Outputs{z, z};
      },
      [&] { return Outputs{z}; });
  EXPECT_EQ(r.size(), 2u);
  EXPECT_THAT(Message(d), HasSubstr("no node"));
}

TEST(ControlFlowErrorsTest, CallsNoBranchWithoutABuilder) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const int nodes = b.graph().num_nodes();
  int calls = 0;
  const auto branch = [&] {
    ++calls;
    return Outputs{op::Neg(x)};
  };
  EXPECT_TRUE(Cond(op::Less(2, 1), branch, branch).empty());
  EXPECT_TRUE(Case(Output(), {branch}).empty());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(b.graph().num_nodes(), nodes);
  EXPECT_EQ(b.status(), absl::OkStatus());
}

TEST(ControlFlowErrorsTest, ReportsASelectorOfConstantsToTheGivenBuilder) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const int nodes = b.graph().num_nodes();
  const auto branch = [&] { return Outputs{op::Neg(x), x}; };
  const int line = __LINE__ + 1;
  const Outputs r = Cond(b, op::Less(2, 1), branch, branch);
  EXPECT_EQ(r.size(), 2u);
  EXPECT_EQ(b.graph().num_nodes(), nodes);
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("'cond'"), HasSubstr("predicate"),
                    HasSubstr("constants only"), HasSubstr(Here(line))));
  GraphBuilder c;
  const Outputs q =
      Case(c, c.Const<int32_t>(0), {[&] { return Outputs{c.Const(1.0f)}; }});
  EXPECT_EQ(q.size(), 1u);
  EXPECT_TRUE(c.status().ok()) << c.status();
  Case(c, Output(), {branch});
  EXPECT_THAT(Message(c), AllOf(HasSubstr("index"), HasSubstr("no node")));
}

TEST(ControlFlowErrorsTest, ReportsALoopOfConstantsToWhomItCan) {
  const auto condition = [](Variables v) { return op::Less(v[0], 3); };
  const auto body = [](Variables v) { return Outputs{v[0] + 1}; };
  GraphBuilder b;
  While(b, {}, condition, body);
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'while'"), HasSubstr("no vari")));
  GraphBuilder c;
  While(c, {op::Add(1, 2)}, condition, body);
  EXPECT_THAT(Message(c),
              AllOf(HasSubstr("variable 0"), HasSubstr("constants only")));
  // The node that uses the result has a builder and reports the error.
  GraphBuilder d;
  const Outputs r = While({op::Add(1, 2)}, condition, body);
  ASSERT_EQ(r.size(), 1u);
  op::Add(d.Const<int32_t>(1), r[0]);
  EXPECT_THAT(Message(d), HasSubstr("constants only"));
}

TEST(ControlFlowErrorsTest, HandlesOfNoNodeAreErrorsAndHaveNothing) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Output bad(Operation(&b, 99999), 0);
  EXPECT_EQ(bad.name(), "");
  EXPECT_EQ(bad.operation().op(), "");
  EXPECT_EQ(bad.operation().num_inputs(), 0);
  EXPECT_EQ(bad.operation().num_outputs(), 0);
  EXPECT_FALSE(bad.operation().output(0).IsValid());
  EXPECT_EQ(bad.dtype(), DType::kInvalid);
  EXPECT_FALSE(bad.is_ref());
  EXPECT_FALSE(bad.shape().rank_known());
  const Output ys[] = {bad};
  const Output xs[] = {x};
  Gradients(ys, xs);
  EXPECT_THAT(Message(b), HasSubstr("ys[0]"));
  GraphBuilder c;
  Cond(
      Output(Operation(&c, 99999), 0), [&] { return Outputs{}; },
      [&] { return Outputs{}; });
  EXPECT_THAT(Message(c), HasSubstr("no node"));
  GraphBuilder d;
  const Output loop[] = {Output(Operation(&d, 99999), 0)};
  While(
      loop, [&](Variables) { return d.Const(true); },
      [&](Variables v) { return Outputs{v[0]}; });
  EXPECT_THAT(Message(d), HasSubstr("variable 0"));
}

TEST(ControlFlowErrorsTest, RefusesOperationsOfNoBuilder) {
  GraphBuilder b;
  b.Placeholder<float>("x", Shape{});
  const Operation none[] = {Operation(nullptr, 0)};
  b.Group(none);
  EXPECT_THAT(Message(b), HasSubstr("no node"));
}

TEST(ControlFlowErrorsTest, RefusesGradientsOfABodyThatHasEnded) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  Output inner;
  int line = 0;
  Cond(
      b.Const(true),
      [&] {
        inner = x * x;
        return Outputs{inner};
      },
      [&] {
        const Output ys[] = {x, inner};
        const Output xs[] = {x};
        line = __LINE__ + 1;
        EXPECT_TRUE(Gradients(ys, xs)[0].IsNone());
        return Outputs{x};
      });
  EXPECT_EQ(b.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(b), AllOf(HasSubstr("ys[1]"), HasSubstr("'cond_then'"),
                                HasSubstr("ended"), HasSubstr(Here(line))));
}

TEST(ControlFlowErrorsTest, ErrorsOfGradientsInABodyNameItAndTheCall) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  const Output y = Cond(
      b.Const(true),
      [&] { return Outputs{op::Switch(x, b.Const(true)).output_true}; },
      [&] { return Outputs{x}; })[0];
  ASSERT_EQ(b.status(), absl::OkStatus());
  const Output ys[] = {y};
  const Output xs[] = {x};
  const int line = __LINE__ + 1;
  Gradients(ys, xs);
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("'Switch'"), HasSubstr("no registered gradient"),
                    HasSubstr("'cond_then'"), HasSubstr(Here(line))));
}

TEST(ControlFlowErrorsTest, RefusesOutputsOfABodyThatHasEnded) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  Output inner;
  Cond(
      b.Const(true),
      [&] {
        inner = x * 2.0f;
        return Outputs{inner};
      },
      [&] { return Outputs{x}; });
  ASSERT_TRUE(b.status().ok()) << b.status();
  const int line = __LINE__ + 1;
  const Output bad = inner + x;
  EXPECT_FALSE(bad.IsValid());
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'add'"), HasSubstr("'cond_then'"),
                                HasSubstr("ended"), HasSubstr(Here(line))));

  GraphBuilder c;
  const Output y = c.Placeholder<float>("y", Shape{});
  Cond(
      c.Const(true),
      [&] {
        inner = y * 2.0f;
        return Outputs{inner};
      },
      [&] { return Outputs{inner}; });
  EXPECT_THAT(Message(c), AllOf(HasSubstr("'cond'"), HasSubstr("'cond_else'"),
                                HasSubstr("ended")));
}

TEST(ControlFlowErrorsTest, RefusesOutputsOfAnotherBuilder) {
  GraphBuilder a, b;
  const Output x = a.Placeholder<float>("x", Shape{});
  const Output y = b.Placeholder<float>("y", Shape{});
  Cond(
      a.Const(true), [&] { return Outputs{x}; }, [&] { return Outputs{y}; });
  EXPECT_THAT(Message(a), HasSubstr("another GraphBuilder"));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(ControlFlowErrorsTest, RefusesVariablesThatChangeTypeOrShape) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  const int line = __LINE__ + 1;
  const Outputs r = While(
      {x}, [&](Variables) { return b.Const(true); },
      [&](Variables v) {
        return Outputs{op::ConcatV2({v[0], x}, 0)};
      });
  EXPECT_EQ(r.size(), 1u);
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("'while'"), HasSubstr("variable 0 (x:0)"),
                    HasSubstr("[2]"), HasSubstr("[4]"),
                    HasSubstr("shape_invariants"), HasSubstr(Here(line))));
  GraphBuilder c;
  const Output y = c.Placeholder<float>("y", {2});
  While(
      {y}, [&](Variables) { return c.Const(true); },
      [&](Variables v) { return Outputs{op::Cast(v[0], DType::kInt32)}; });
  EXPECT_THAT(Message(c), AllOf(HasSubstr("y:0"), HasSubstr("int32")));
}

TEST(ControlFlowErrorsTest, RefusesAnotherNumberOfVariables) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  const Outputs r = While(
      {x, x}, [&](Variables) { return b.Const(true); },
      [&](Variables v) { return Outputs{v[0]}; });
  EXPECT_EQ(r.size(), 2u);
  EXPECT_THAT(Message(b), AllOf(HasSubstr("returns 1"), HasSubstr("2 variab")));
}

TEST(ControlFlowErrorsTest, RefusesWhatNoBodyCanHave) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  Cond(
      b.Const(true), [&] { return Outputs{b.Placeholder<float>("y", {2})}; },
      [&] { return Outputs{x}; });
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'y'"), HasSubstr("cond_then")));
  GraphBuilder c;
  const Output z = c.Placeholder<float>("z", {2});
  Cond(
      c.Const(true),
      [&] {
        EXPECT_EQ(c.Build().status().code(),
                  absl::StatusCode::kFailedPrecondition);
        return Outputs{z};
      },
      [&] { return Outputs{z}; });
  EXPECT_TRUE(c.Build().ok()) << c.status();
}

TEST(ControlFlowErrorsTest, RefusesAScopeThatOutlivesItsBody) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  std::vector<Scope> scopes;
  Cond(
      b.Const(true),
      [&] {
        scopes.push_back(b.NameScope("open"));
        return Outputs{x};
      },
      [&] { return Outputs{x}; });
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'open'"), HasSubstr("outlives")));
}

TEST(ControlFlowErrorsTest, AfterAnErrorNothingIsBuiltAndResultsAreInvalid) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  op::MatMul(x, x);
  const std::string message = Message(b);
  const int nodes = b.graph().num_nodes();
  const Outputs y = Cond(
      b.Const(true),
      [&] {
        return Outputs{x, op::Neg(x)};
      },
      [&] { return Outputs{x}; });
  ASSERT_EQ(y.size(), 2u);
  const Outputs r = While(
      {x, y[0]}, [&](Variables v) { return v[0]; },
      [&](Variables v) { return Outputs{v[0]}; });
  ASSERT_EQ(r.size(), 2u);
  EXPECT_FALSE(r[0].IsValid());
  EXPECT_EQ(Message(b), message);
  EXPECT_EQ(b.graph().num_nodes(), nodes);
}

TEST(ControlFlowErrorsTest, ErrorsInABodyNameIt) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  int line = 0;
  While(
      {op::Sum(x, 0)}, [&](Variables v) { return op::Less(v[0], 2.0f); },
      [&](Variables v) {
        line = __LINE__ + 1;
        return Outputs{op::MatMul(v[0], v[0])};
      });
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'MatMul'"), HasSubstr("while_body"),
                                HasSubstr(Here(line))));
}

TEST(ControlFlowErrorsTest, BranchesForTheirEffectsGiveNoNodeAfterAnError) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const auto nothing = [] {};
  EXPECT_EQ(Cond(Output(), nothing, nothing), Operation());
  EXPECT_EQ(b.status(), absl::OkStatus());
  const int line = __LINE__ + 1;
  const Operation cond = Cond(x, nothing, nothing);
  EXPECT_EQ(cond.builder(), &b);
  EXPECT_FALSE(cond.IsValid());
  EXPECT_THAT(Message(b), AllOf(HasSubstr("predicate"), HasSubstr(Here(line))));
  GraphBuilder c;
  const Output y = c.Placeholder<float>("y", Shape{});
  EXPECT_FALSE(Case(c, y, {nothing}).IsValid());
  EXPECT_THAT(Message(c), HasSubstr("index"));
}

// Returns the result of `depth` Conds that are nested in each other. Sets
// `line` to the line of the innermost call of Cond.
Output Conds(int depth, const Output& x, int& line) {
  if (depth == 0) return x;
  line = __LINE__ + 1;
  return Cond(
      x.builder()->Const(true),
      [&] { return Outputs{Conds(depth - 1, x * x, line)}; },
      [&] { return Outputs{x}; })[0];
}

TEST(ControlFlowErrorsTest, BodiesNestNoDeeperThanPlanningAllows) {
  int line = 0;
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Output ys[] = {Conds(100, x, line)};
  const Output xs[] = {x};
  Gradients(ys, xs);
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValidateFunctions(*graph), absl::OkStatus());
  EXPECT_EQ(LowerFunctions(*graph), absl::OkStatus());

  GraphBuilder c;
  Conds(101, c.Placeholder<float>("x", Shape{}), line);
  EXPECT_EQ(c.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(c),
              AllOf(HasSubstr("'cond' (If)"), HasSubstr("nest 101 deep"),
                    HasSubstr("limit is 100"), HasSubstr(Here(line))));
}

TEST(ControlFlowErrorsTest, LoopsNestNoDeeperThanPlanningAllows) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  int line = 0;
  const auto loop = [&] {
    line = __LINE__ + 1;
    return While(
        {x}, [&](Variables v) { return op::Less(v[0], 9.0f); },
        [&](Variables v) { return Outputs{v[0] * 2.0f}; });
  };
  int conds = 0;
  const std::function<Outputs()> within = [&]() -> Outputs {
    if (conds++ == 100) return loop();
    return Cond(b.Const(true), within, [&] { return Outputs{x}; });
  };
  within();
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("'while' (While)"), HasSubstr("nest 101 deep"),
                    HasSubstr(Here(line))));
}

TEST(ControlFlowErrorsTest, GradientsInBodiesNestNoDeeperEither) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  int unused = 0;
  const Output y = Conds(60, x, unused);
  int line = 0;
  int conds = 0;
  const std::function<Outputs()> within = [&]() -> Outputs {
    if (conds++ < 41) {
      return Cond(b.Const(true), within, [&] { return Outputs{x}; });
    }
    const Output ys[] = {y};
    const Output xs[] = {x};
    line = __LINE__ + 1;
    Gradients(ys, xs);
    return {x};
  };
  within();
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("gradient of node 'cond'"),
                    HasSubstr("nest 101 deep"), HasSubstr(Here(line))));
}

// Returns the result of `depth` loops that are nested in each other. The
// innermost loop squares `x`.
Output Loops(int depth, const Output& x) {
  if (depth == 0) return x * x;
  return While(
      {x.builder()->Const<int32_t>(0), x},
      [](Variables v) { return op::Less(v[0], 1); },
      [depth](Variables v) {
        return Outputs{v[0] + 1, Loops(depth - 1, v[1])};
      })[1];
}

TEST(ControlFlowErrorsTest, LoopsWithGradientsNestAsDeepAsListsOfLists) {
  for (const int depth : {32, 33}) {
    GraphBuilder b;
    const Output x = b.Placeholder<float>("x", Shape{});
    const Output ys[] = {Loops(depth, x)};
    const Output xs[] = {x};
    ASSERT_EQ(b.status(), absl::OkStatus());
    const int line = __LINE__ + 1;
    Gradients(ys, xs);
    if (depth == 32) {
      EXPECT_EQ(b.status(), absl::OkStatus());
      continue;
    }
    EXPECT_EQ(b.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(
        Message(b),
        AllOf(HasSubstr("gradient of node 'while'"), HasSubstr("33 deep"),
              HasSubstr("limit is 32"), HasSubstr(Here(line))));
  }
}

}  // namespace
}  // namespace leat::control_flow_errors_test
