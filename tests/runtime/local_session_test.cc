// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/local_session.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/costs/cost_file.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::local_session_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sessions on one and on two CPU devices must behave alike.
class LocalSessionTest : public ::testing::TestWithParam<int> {
 protected:
  std::shared_ptr<Session> NewSession() {
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return nullptr;
    init_op = graph->init_op();
    for (const auto& [merge, next] : back_edges) {
      graph->mutable_node(merge).inputs[1] = next;
    }
    auto session = NewTestSession(
        *graph, {.devices = {.num_cpus = GetParam(), .num_threads = 2}});
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *session : nullptr;
  }
  // Returns the last device, which differs from the first if there are two.
  std::string Elsewhere() const {
    return GetParam() == 1 ? "/cpu:0" : "/cpu:1";
  }

  // Holds the outputs of a loop that computes: while (i < n) { i += 1; sum +=
  // i; }
  struct WhileLoop {
    Output i;
    Output sum;
  };
  WhileLoop BuildLoop(Output n, Output start, const std::string& frame,
                      int64_t parallel = 10);

  GraphBuilder b;
  std::string init_op;
  // Holds the edges that close the loops, from a NextIteration to the second
  // input of a Merge. They are added to the finished graph, because the builder
  // cannot refer to a node that is added later.
  std::vector<std::pair<NodeId, Endpoint>> back_edges;
};

INSTANTIATE_TEST_SUITE_P(Devices, LocalSessionTest, ::testing::Values(1, 2));

TEST_P(LocalSessionTest, FeedsAndFetchesByName) {
  const Output x = b.Placeholder<float>("x");
  const Output y = x * 2.0f + 1.0f;
  auto session = NewSession();
  auto out = session->Run(
      {.feeds = {{"x:0", Tensor::Scalar(3.0f)}}, .fetches = {y, y}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 7);
  EXPECT_EQ((*out)[1].scalar<float>(), 7);
}

TEST_P(LocalSessionTest, SendsTensorsBetweenDevices) {
  const Output x = b.Placeholder<float>("x");
  Output y;
  {
    auto device = b.OnDevice(Elsewhere());
    y = op::Square(x);
  }
  Output z;
  {
    auto device = b.OnDevice("/cpu:0");
    z = op::Add(y, y) + x;
  }
  auto session = NewSession();
  for (int i = 0; i < 50; ++i) {
    auto out = session->Run(
        {.feeds = {{x, Tensor::Scalar<float>(i)}}, .fetches = {z, y}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 2 * i * i + i);
    EXPECT_EQ((*out)[1].scalar<float>(), i * i);
  }
}

TEST_P(LocalSessionTest, VariablesKeepTheirValuesBetweenSteps) {
  Output read;
  Operation add;
  {
    auto device = b.OnDevice(Elsewhere());
    const Variable v = b.Variable("v", b.Const(1.0f));
    add = op::AssignAddVariableOp(v.handle(), b.Const(2.0f));
    read = v.value();
  }
  auto session = NewSession();
  EXPECT_EQ(session->Run({.fetches = {read}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(session->Run({.targets = {add}}).ok());
  auto out = session->Run({.fetches = {read}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 7);
}

TEST_P(LocalSessionTest, AFetchedValueDoesNotChangeWithItsVariable) {
  const Variable v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
  const Output added = op::AssignAdd(v.handle(), b.Const(1.0f));
  auto session = NewSession();
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  auto before = session->Run({.fetches = {v.value()}});
  ASSERT_TRUE(before.ok()) << before.status();
  auto after = session->Run({.fetches = {added}});
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ((*before)[0].scalar<float>(), 1);
  EXPECT_EQ((*after)[0].scalar<float>(), 2);
}

TEST_P(LocalSessionTest, ErrorsNameNodeOpDeviceAndInputShapes) {
  const Output x = b.Placeholder<float>("x");
  const Output y = b.Placeholder<float>("y");
  const Output sum = op::AddV2(x, y);
  auto session = NewSession();
  auto out = session->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})},
                                     {y, Tensor::Vector<float>({1, 2, 3})}},
                           .fetches = {sum}});
  ASSERT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(out.status().message());
  EXPECT_THAT(message, HasSubstr("Incompatible shapes: [2] vs. [3]"));
  EXPECT_THAT(message, HasSubstr("[[{{node AddV2}}]]"));
  EXPECT_THAT(message, HasSubstr("AddV2(float[2], float[3])"));
  EXPECT_THAT(message, HasSubstr(HasGpu() ? "/device:GPU:0" : "/device:CPU:0"));
  // The next step succeeds.
  auto next = session->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})},
                                      {y, Tensor::Vector<float>({3, 4})}},
                            .fetches = {sum}});
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_THAT((*next)[0].data<float>(), ElementsAre(4, 6));
}

TEST_P(LocalSessionTest, AnErrorOnOneDeviceEndsTheStepOnTheOther) {
  const Output x = b.Placeholder<float>("x");
  Output bad, there;
  {
    auto device = b.OnDevice(Elsewhere());
    bad = op::CheckNumerics(x, "x was bad");
  }
  {
    auto device = b.OnDevice("/cpu:0");
    there = op::Neg(bad);
  }
  auto session = NewSession();
  auto out = session->Run({.feeds = {{x, Tensor::Scalar<float>(std::nanf(""))}},
                           .fetches = {there}});
  ASSERT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(out.status().message()), HasSubstr("x was bad"));
}

TEST_P(LocalSessionTest, RefusesWrongNamesFeedsAndTypes) {
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Neg(x);
  auto session = NewSession();
  const Tensor one = Tensor::Scalar(1.0f);
  const auto run = [&](RunArgs args) { return session->Run(args).status(); };
  EXPECT_EQ(run({.fetches = {"nobody:0"}}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(run({.fetches = {"Neg:1"}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run({.feeds = {{"nobody", one}}, .fetches = {y}}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(run({.targets = {"nobody"}}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(run({}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run({.feeds = {{x, one}, {x, one}}, .fetches = {y}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run({.feeds = {{x, one}}, .fetches = {x}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run({.feeds = {{x, Tensor::Scalar(1)}}, .fetches = {y}}).code(),
            absl::StatusCode::kInvalidArgument);
  const absl::Status unfed = run({.fetches = {y}});
  EXPECT_EQ(unfed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(unfed.message()),
              HasSubstr("You must feed a value for placeholder"));
}

TEST_P(LocalSessionTest, FeedsReplaceInnerTensors) {
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Neg(x);
  const Output z = y * 10.0f;
  auto session = NewSession();
  auto out =
      session->Run({.feeds = {{y, Tensor::Scalar(5.0f)}}, .fetches = {z}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 50);
}

TEST_P(LocalSessionTest, CallablesTakeFeedsByPosition) {
  const Output x = b.Placeholder<float>("x");
  const Output y = b.Placeholder<float>("y");
  const Output z = x - y;
  auto session = NewSession();
  auto callable = session->MakeCallable({.feeds = {y, x}, .fetches = {z}});
  ASSERT_TRUE(callable.ok()) << callable.status();
  auto out = (*callable)({Tensor::Scalar(1.0f), Tensor::Scalar(4.0f)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 3);
  EXPECT_EQ((*callable)({Tensor::Scalar(1.0f)}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Callable()({}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(LocalSessionTest, ExtendAddsNodesAndKeepsState) {
  const Variable v = b.Variable("v", b.Const(1.0f));
  auto session = NewSession();
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  const Output twice = v.value() * 2.0f;
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::Status extended = session->Extend(*graph);
  ASSERT_TRUE(extended.ok()) << extended;
  auto out = session->Run({.fetches = {twice}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 2);
}

TEST_P(LocalSessionTest, ExtendRefusesAnotherNodeOfAName) {
  b.Placeholder<float>("x");
  auto session = NewSession();
  GraphBuilder other;
  other.Placeholder<int32_t>("x");
  auto graph = other.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::Status status = session->Extend(*graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'x'"));
}

TEST_P(LocalSessionTest, AClosedSessionRefusesSteps) {
  const Output x = b.Const(1.0f);
  auto session = NewSession();
  auto callable = session->MakeCallable({.fetches = {x}});
  ASSERT_TRUE(callable.ok());
  ASSERT_TRUE(session->Close().ok());
  EXPECT_EQ(session->Run({.fetches = {x}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ((*callable)({}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(LocalSessionTest, ASteadyStepTakesNoBufferFromTheSystem) {
  LEAT_LOCAL_SESSION_ONLY("it shares its devices with the session");
  auto devices = DeviceSet::Create({.num_cpus = GetParam()});
  ASSERT_TRUE(devices.ok());
  const std::shared_ptr<DeviceSet> set = *std::move(devices);
  const Output x = b.Placeholder<float>("x");
  Output y = op::Exp(x);
  for (int i = 0; i < 20; ++i) y = op::Tanh(y) + x;
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewLocalSession(*graph, {.device_set = set});
  ASSERT_TRUE(session.ok()) << session.status();
  auto callable = (*session)->MakeCallable({.feeds = {x}, .fetches = {y}});
  ASSERT_TRUE(callable.ok());
  const Tensor feed = Tensor::Filled<float>(Shape{1000}, 0.5f);
  ASSERT_TRUE((*callable)({feed}).ok());
  const auto system_requests = [&] {
    int64_t sum = 0;
    for (const auto& device : set->devices()) {
      sum += device->allocator().stats().system_requests;
    }
    return sum;
  };
  const int64_t before = system_requests();
  EXPECT_GT(before, 0);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((*callable)({feed}).ok());
  EXPECT_EQ(system_requests(), before);
}

// The tests from here on use v1 control flow as TensorFlow's Python API writes
// it.

TEST_P(LocalSessionTest, OnlyTheBranchTakenRuns) {
  const Output p = b.Placeholder<bool>("p");
  const Output x = b.Placeholder<float>("x");
  const auto branches = op::Switch(x, p);
  Output otherwise, then;
  {
    auto device = b.OnDevice(Elsewhere());
    otherwise = op::CheckNumerics(branches.output_false, "not taken");
  }
  then = op::Neg(branches.output_true);
  const auto merged = op::Merge({otherwise, then});
  auto session = NewSession();
  const auto run = [&](bool value, float feed) {
    return session->Run(
        {.feeds = {{p, Tensor::Scalar(value)}, {x, Tensor::Scalar(feed)}},
         .fetches = {merged.output, merged.value_index}});
  };
  auto taken = run(true, std::numeric_limits<float>::infinity());
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ((*taken)[0].scalar<float>(),
            -std::numeric_limits<float>::infinity());
  EXPECT_EQ((*taken)[1].scalar<int32_t>(), 1);
  auto other = run(false, 4);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ((*other)[0].scalar<float>(), 4);
  EXPECT_EQ((*other)[1].scalar<int32_t>(), 0);
}

TEST_P(LocalSessionTest, AFetchFromTheBranchNotTakenIsAnError) {
  const Output p = b.Placeholder<bool>("p");
  const auto branches = op::Switch(b.Const(1.0f), p);
  Output then;
  {
    auto device = b.OnDevice(Elsewhere());
    then = op::Neg(branches.output_true);
  }
  auto session = NewSession();
  auto dead =
      session->Run({.feeds = {{p, Tensor::Scalar(false)}}, .fetches = {then}});
  EXPECT_EQ(dead.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(dead.status().message()), HasSubstr("Neg:0"));
  auto live =
      session->Run({.feeds = {{p, Tensor::Scalar(true)}}, .fetches = {then}});
  ASSERT_TRUE(live.ok()) << live.status();
}

LocalSessionTest::WhileLoop LocalSessionTest::BuildLoop(
    Output n, Output start, const std::string& frame, int64_t parallel) {
  const op::EnterAttrs varying{.parallel_iterations = parallel};
  const Output limit = op::Enter(
      n, frame, {.is_constant = true, .parallel_iterations = parallel});
  const Output one =
      op::Enter(b.Const<int32_t>(1), frame,
                {.is_constant = true, .parallel_iterations = parallel});
  const Output enter_i = op::Enter(start, frame, varying);
  const Output enter_sum = op::Enter(b.Const<int32_t>(0), frame, varying);
  const auto merge_i = op::Merge({enter_i, enter_i});
  const auto merge_sum = op::Merge({enter_sum, enter_sum});
  const Output running = op::LoopCond(op::Less(merge_i.output, limit));
  const auto switch_i = op::Switch(merge_i.output, running);
  const auto switch_sum = op::Switch(merge_sum.output, running);
  const Output next_i = op::AddV2(switch_i.output_true, one);
  const Output next_sum = op::AddV2(switch_sum.output_true, next_i);
  back_edges.emplace_back(merge_i.output.operation().id(),
                          op::NextIteration(next_i).endpoint());
  back_edges.emplace_back(merge_sum.output.operation().id(),
                          op::NextIteration(next_sum).endpoint());
  return {op::Exit(switch_i.output_false), op::Exit(switch_sum.output_false)};
}

TEST_P(LocalSessionTest, LoopsRunUntilTheirConditionIsFalse) {
  const Output n = b.Placeholder<int32_t>("n");
  const WhileLoop loop = BuildLoop(n, b.Const<int32_t>(0), "loop");
  const WhileLoop one_at_a_time = BuildLoop(n, b.Const<int32_t>(0), "other", 1);
  auto session = NewSession();
  for (int32_t count : {0, 1, 7, 300}) {
    auto out = session->Run({.feeds = {{n, Tensor::Scalar(count)}},
                             .fetches = {loop.i, loop.sum, one_at_a_time.sum}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), count);
    EXPECT_EQ((*out)[1].scalar<int32_t>(), count * (count + 1) / 2);
    EXPECT_EQ((*out)[2].scalar<int32_t>(), count * (count + 1) / 2);
  }
}

TEST_P(LocalSessionTest, ALoopOnTheBranchNotTakenIsDead) {
  const Output p = b.Placeholder<bool>("p");
  const Output n = b.Placeholder<int32_t>("n");
  const auto branches = op::Switch(n, p);
  const WhileLoop loop =
      BuildLoop(branches.output_true, b.Const<int32_t>(0), "loop");
  const auto merged = op::Merge({branches.output_false, loop.sum});
  auto session = NewSession();
  const auto run = [&](bool value) {
    auto out = session->Run(
        {.feeds = {{p, Tensor::Scalar(value)}, {n, Tensor::Scalar<int32_t>(4)}},
         .fetches = {merged.output}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<int32_t>() : -1;
  };
  EXPECT_EQ(run(true), 10);
  EXPECT_EQ(run(false), 4);
}

TEST_P(LocalSessionTest, AStepPastItsDeadlineEnds) {
  const auto clock = SimulateTime();
  const Output n = b.Placeholder<int32_t>("n");
  const Variable begun = b.Variable("begun", b.Const(false));
  Output start;
  {
    auto after = b.ControlDependencies(
        {op::AssignVariableOp(begun.handle(), b.Const(true))});
    start = op::Identity(b.Const<int32_t>(0));
  }
  const WhileLoop loop = BuildLoop(n, start, "forever");
  auto session = NewSession();
  // This step ends soon, because `n` is 1. The long step below has the same
  // feeds and fetches and reuses this step's plan. So planning does not use up
  // the timeout of the long step.
  ASSERT_TRUE(session
                  ->Run({.feeds = {{n, Tensor::Scalar<int32_t>(1)}},
                         .fetches = {loop.i}})
                  .ok());
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  absl::Status status;
  Thread step("step", [&] {
    status =
        session
            ->Run({.feeds = {{n, Tensor::Scalar(
                                     std::numeric_limits<int32_t>::max())}},
                   .fetches = {loop.i},
                   .options = {.timeout = std::chrono::seconds(4)}})
            .status();
  });
  for (bool has_begun = false; !has_begun;) {
    auto read = session->Run({.fetches = {begun.value()}});
    EXPECT_TRUE(read.ok()) << read.status();
    has_begun = !read.ok() || (*read)[0].scalar<bool>();
  }
  // The threads of the loop never wait, so simulated time does not pass by
  // itself.
  if (clock != nullptr) clock->Jump(std::chrono::seconds(4));
  step.Join();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("ran longer than its timeout of 4s"));
  auto next = session->Run(
      {.feeds = {{n, Tensor::Scalar<int32_t>(3)}}, .fetches = {loop.i}});
  ASSERT_TRUE(next.ok()) << next.status();
}

TEST_P(LocalSessionTest, AMergeWorksWithoutItsSwitch) {
  const auto branches =
      op::Switch(b.Placeholder<float>("x"), b.Placeholder<bool>("p"));
  const auto merged = op::Merge({branches.output_false, branches.output_true});
  auto session = NewSession();
  auto out =
      session->Run({.feeds = {{branches.output_false, Tensor::Scalar(2.0f)},
                              {branches.output_true, Tensor::Scalar(2.0f)}},
                    .fetches = {merged.output}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 2);
}

TEST_P(LocalSessionTest, AClientsNameMayLookLikeAPlanners) {
  Output x;
  {
    auto device = b.OnDevice("/cpu:0");
    x = b.Placeholder<float>("x");
    b.Const(Tensor::Scalar(1.0f), "x/send_G0");
  }
  auto device = b.OnDevice(Elsewhere());
  b.Const(Tensor::Scalar(1.0f), "x/recv_G1");
  const Output y = op::Neg(x);
  auto session = NewSession();
  auto out = session->Run({.feeds = {{x, Tensor::Scalar(2.0f)}},
                           .fetches = {y},
                           .targets = {"x/send_G0", "x/recv_G1"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), -2);
}

TEST_P(LocalSessionTest, AReferenceOnTheBranchNotTakenIsDeadElsewhereToo) {
  Variable v;
  Output updated;
  {
    auto device = b.OnDevice("/cpu:0");
    v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
    const auto branches = op::Switch(b.Const(5.0f), b.Placeholder<bool>("p"));
    updated = op::Assign(v.handle(), branches.output_true);
  }
  Output there;
  {
    auto device = b.OnDevice(Elsewhere());
    there = op::Neg(updated);
  }
  auto session = NewSession();
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  const auto run = [&](bool taken) {
    return session->Run(
        {.feeds = {{"p", Tensor::Scalar(taken)}}, .fetches = {there}});
  };
  EXPECT_EQ(run(false).status().code(), absl::StatusCode::kInvalidArgument);
  auto out = run(true);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), -5);
}

TEST_P(LocalSessionTest, AReferenceIsReadAfterWhatItsReaderWaitsFor) {
  Variable v;
  Output increment, added;
  {
    // The chain of 500 nodes makes `increment` available late.
    auto device = b.OnDevice("/cpu:0");
    increment = b.Placeholder<float>("increment");
    for (int i = 0; i < 500; ++i) increment = op::Identity(increment);
  }
  {
    auto device = b.OnDevice(Elsewhere());
    v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
    added = op::AssignAdd(v.handle(), increment);
  }
  Output read;
  {
    auto device = b.OnDevice("/cpu:0");
    auto after = b.ControlDependencies({added.operation()});
    read = op::Neg(v.handle());
  }
  auto session = NewSession();
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  for (int i = 0; i < 50; ++i) {
    auto out = session->Run(
        {.feeds = {{"increment", Tensor::Scalar(1.0f)}}, .fetches = {read}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), -(i + 2));
  }
}

TEST_P(LocalSessionTest, ALoopMayBeEnteredWithAVariablesValue) {
  const Variable v =
      b.Variable("v", b.Const<int32_t>(2), {.use_resource = false});
  const WhileLoop loop = BuildLoop(b.Const<int32_t>(5), v.handle(), "loop");
  auto session = NewSession();
  EXPECT_EQ(session->Run({.fetches = {loop.i}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(session->Run({.targets = {init_op}}).ok());
  auto out = session->Run({.fetches = {loop.i, loop.sum}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int32_t>(), 5);
  EXPECT_EQ((*out)[1].scalar<int32_t>(), 3 + 4 + 5);
}

TEST_P(LocalSessionTest, AValueInsideOfALoopCannotBeFetched) {
  const WhileLoop loop =
      BuildLoop(b.Const<int32_t>(3), b.Const<int32_t>(0), "loop");
  auto session = NewSession();
  auto inside = session->Run({.fetches = {"Merge:0"}});
  EXPECT_EQ(inside.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(inside.status().message()), HasSubstr("'loop'"));
  EXPECT_TRUE(session->Run({.fetches = {loop.i}}).ok());
}

TEST_P(LocalSessionTest, DeadlinesMayBeFarAwayOrPast) {
  const Output x = b.Const(1.0f);
  auto session = NewSession();
  auto far =
      session->Run({.fetches = {x},
                    .options = {.timeout = std::chrono::nanoseconds::max()}});
  EXPECT_TRUE(far.ok()) << far.status();
  auto past = session->Run(
      {.fetches = {x}, .options = {.timeout = std::chrono::nanoseconds(-1)}});
  EXPECT_EQ(past.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(past.status().message()),
              HasSubstr("timeout of -1ns was over"));
}

TEST_P(LocalSessionTest, ANameWithACommaIsNotTwoNames) {
  b.Const(Tensor::Scalar(1.0f), "x");
  b.Const(Tensor::Scalar(2.0f), "y");
  auto session = NewSession();
  ASSERT_TRUE(session->Run({.fetches = {"x", "y"}}).ok());
  EXPECT_FALSE(session->Run({.fetches = {"x,y"}}).ok());
}

// The observer of a client sees sampled steps as it sees others.
TEST(LocalSessionCostsTest, ASampledStepHasItsObserver) {
  struct Counter final : StepObserver {
    void OnNodeRun(const NodeRun&) override { ++count; }
    int count = 0;
  } counter;
  const TemporaryFolder folder;
  GraphBuilder b;
  const Output y = op::Neg(b.Placeholder<float>("x"));
  LocalSessionOptions options;
  options.devices.costs_folder = folder.Path("costs");
  const auto session = NewLocalSession(b.Build().value(), options).value();
  constexpr int kSteps = 12;
  for (int i = 0; i < kSteps; ++i) {
    ASSERT_TRUE(session
                    ->Run({.feeds = {{"x", Tensor::Scalar(1.0f)}},
                           .fetches = {y},
                           .options = {.observer = &counter}})
                    .ok());
  }
  EXPECT_EQ(counter.count, 3 * kSteps);  // _Arg, Neg and _Retval
  ASSERT_TRUE(session->Close().ok());
  CostTable table;
  ASSERT_TRUE(ReadCosts(folder.Path("costs"), table).ok());
  EXPECT_EQ(table.RunsPerStep(y.operation().name()), 1);
}

TEST(LocalSessionCostsTest, ABadCostFileIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.Path(CostFileName("CPU"))) << "version: 2";
  GraphBuilder b;
  b.Const(1.0f);
  LocalSessionOptions options;
  options.devices.costs_folder = folder.Path("");
  const auto session = NewLocalSession(b.Build().value(), options);
  EXPECT_TRUE(absl::IsInvalidArgument(session.status()));
  EXPECT_THAT(session.status().message(), HasSubstr("has version 2"));
}

}  // namespace
}  // namespace leat::local_session_test
