// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests partial runs, on one and on two devices: what they compute, what they
// refuse, how errors reach the caller, and how they end.
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::partial_run_test {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// In the graph, `twice` is computed from a, and `sum` is computed from `twice`
// and c. `add` adds the elements of c to the variable `total`. `put` enqueues
// c, and `taken` waits for an element of the queue.
class PartialRunTest : public ::testing::TestWithParam<int> {
 protected:
  PartialRunTest() {
    a = b.Placeholder<float>("a", PartialShape({2}));
    twice = op::Mul(a, b.Const(2.0f));
    const Scope last = b.OnDevice(GetParam() == 2 ? "/cpu:1" : "/cpu:0");
    c = b.Placeholder<float>("c");
    sum = op::Add(twice, c);
    total = b.Variable("total", b.Const(0.0f));
    add = op::AssignAddVariableOp(total.handle(), op::Sum(c, {0}));
    checked = op::CheckNumerics(c, "bad number");
    queue = op::FIFOQueueV2(b, {DType::kFloat}, {.capacity = 4});
    put = op::QueueEnqueueV2(queue, {c});
    taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
    const auto ways = op::Switch(c, b.Const(true));
    dead = ways.output_false;
  }

  void SetUp() override { MakeSession(); }

  void MakeSession() {
    session.reset();
    auto graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    auto made = NewTestSession(
        *graph, {.devices = {.num_cpus = GetParam(), .num_threads = 2}});
    ASSERT_TRUE(made.ok()) << made.status();
    session = *std::move(made);
    ASSERT_EQ(session->Run({.targets = {graph->init_op()}}).status(),
              absl::OkStatus());
  }

  PartialRun Start(PartialRunArgs args) {
    auto run = session->StartPartialRun(args);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.value_or(PartialRun());
  }
  static Tensor Pair(float x, float y) { return Tensor::Vector<float>({x, y}); }
  float Total() {
    auto fetched = session->Run({.fetches = {total.value()}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? (*fetched)[0].scalar<float>() : -1;
  }
  static void ExpectFloats(const absl::StatusOr<std::vector<Tensor>>& fetched,
                           std::vector<float> values) {
    ASSERT_TRUE(fetched.ok()) << fetched.status();
    ASSERT_EQ(fetched->size(), 1);
    EXPECT_THAT((*fetched)[0].data<float>(),
                ::testing::ElementsAreArray(values));
  }
  static void ExpectOver(const PartialRun& run) {
    const absl::Status status = run.Run({}, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "Must run PartialRunSetup before performing partial runs");
  }

  GraphBuilder b;
  Output a, c, twice, sum, checked, queue, taken, dead;
  Variable total;
  Operation add, put;
  std::shared_ptr<Session> session;
};

INSTANTIATE_TEST_SUITE_P(Devices, PartialRunTest, ::testing::Values(1, 2));

TEST_P(PartialRunTest, WhatIsFedMayDependOnWhatWasFetched) {
  const PartialRun run =
      Start({.feeds = {a, c}, .fetches = {twice, sum, sum}, .targets = {add}});
  EXPECT_EQ(run.Feed({{a, Pair(1, 2)}}), absl::OkStatus());
  const auto first = run.Fetch({twice});
  ExpectFloats(first, {2, 4});
  ExpectFloats(run.Run({{c, (*first)[0]}}, {sum}), {4, 8});
  EXPECT_EQ(Total(), 6);  // The last call waits for the targets.
  ExpectOver(run);
  EXPECT_EQ(run.Finish(), absl::OkStatus());
}

TEST_P(PartialRunTest, OneCallMayFetchATensorTwice) {
  const PartialRun run = Start({.feeds = {a, c}, .fetches = {twice, sum}});
  const auto fetched =
      run.Run({{a, Pair(1, 2)}, {c, Pair(0, 0)}}, {twice, sum, twice});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  ASSERT_EQ(fetched->size(), 3u);
  EXPECT_EQ((*fetched)[0].DebugString(), (*fetched)[2].DebugString());
  ExpectOver(run);
}

// Two calls take the last tensors of the step. The call that ends first must
// not end the step while the other call still runs.
TEST_P(PartialRunTest, CallsOfSeveralThreadsEndTheStepTogether) {
  for (int i = 1; i <= 20; ++i) {
    const PartialRun run =
        Start({.feeds = {a, c}, .fetches = {twice, sum}, .targets = {add}});
    EXPECT_EQ(run.Feed({{a, Pair(0, 0)}, {c, Pair(1, 2)}}), absl::OkStatus());
    absl::Status other;
    Thread thread("fetches", [&] { other = run.Fetch({twice}).status(); });
    EXPECT_EQ(run.Fetch({sum}).status(), absl::OkStatus());
    thread.Join();
    EXPECT_EQ(other, absl::OkStatus());
    ExpectOver(run);
    EXPECT_EQ(Total(), 3 * i);  // once for each run
  }
}

TEST_P(PartialRunTest, RunsAreIndependent) {
  const PartialRunArgs args{.feeds = {a, c}, .fetches = {twice, sum}};
  const PartialRun one = Start(args);
  const PartialRun two = Start(args);
  ExpectFloats(one.Run({{a, Pair(1, 1)}}, {twice}), {2, 2});
  ExpectFloats(two.Run({{a, Pair(3, 3)}, {c, Pair(1, 1)}}, {sum}), {7, 7});
  ExpectFloats(one.Run({{c, Pair(0, 1)}}, {sum}), {2, 3});
  ExpectFloats(two.Fetch({twice}), {6, 6});
  ExpectOver(one);
  ExpectOver(two);
}

TEST_P(PartialRunTest, RefusesAndGoesOn) {
  const PartialRun run = Start({.feeds = {a, c}, .fetches = {twice, sum}});
  const auto refused = [&](const std::vector<Feed>& feeds,
                           const std::vector<TensorName>& fetches) {
    const absl::Status status = run.Run(feeds, fetches).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_EQ(
      refused({{sum, Pair(1, 2)}}, {}),
      "The feed " + sum.name() + " was not specified in partial_run_setup.");
  EXPECT_EQ(refused({}, {checked}),
            "The fetch " + checked.name() +
                " was not specified in partial_run_setup.");
  EXPECT_EQ(refused({{c, Pair(1, 2)}}, {sum}),
            "Fetch a:0 can't be computed from the feeds that have been fed so "
            "far.");
  EXPECT_EQ(refused({}, {twice}),  // `twice` needs a
            "Fetch a:0 can't be computed from the feeds that have been fed so "
            "far.");
  EXPECT_THAT(refused({{a, Tensor::Scalar(1)}}, {}), HasSubstr("int32"));
  EXPECT_THAT(refused({{a, Tensor::Scalar(1.0f)}}, {}),
              HasSubstr("Cannot feed value of shape () for Tensor"));
  EXPECT_EQ(refused({{a, Pair(1, 2)}, {a, Pair(1, 2)}}, {}),
            "Duplicated feeds: " + a.name());
  ExpectFloats(run.Run({{a, Pair(1, 2)}}, {twice}), {2, 4});
  EXPECT_EQ(refused({{a, Pair(1, 2)}}, {}),
            "The feed " + a.name() + " has already been fed.");
  EXPECT_EQ(refused({}, {twice}),
            "The fetch " + twice.name() + " has already been fetched.");
  ExpectFloats(run.Run({{c, Pair(1, 2)}}, {sum}), {3, 6});
}

TEST_P(PartialRunTest, RefusesNamesAsOtherStepsDo) {
  EXPECT_EQ(session->StartPartialRun({.feeds = {"no"}, .fetches = {sum}})
                .status()
                .code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(session->StartPartialRun({.feeds = {a}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PartialRun().Feed({}).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(PartialRunTest, TheErrorOfTheStepIsThatOfTheCallThatWaits) {
  const PartialRun run = Start({.feeds = {a, c}, .fetches = {twice, checked}});
  ExpectFloats(run.Run({{a, Pair(1, 2)}}, {twice}), {2, 4});
  const absl::Status failed =
      run.Run({{c, Pair(0, kInfinity)}}, {checked}).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("bad number"));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("CheckNumerics"));
  ExpectOver(run);
}

TEST_P(PartialRunTest, AnErrorBetweenTwoCallsIsThatOfTheNext) {
  const PartialRun run = Start({.feeds = {a, c}, .fetches = {twice, checked}});
  EXPECT_EQ(run.Feed({{c, Pair(0, kInfinity)}}), absl::OkStatus());
  const absl::Status failed =
      run.Run({{a, Pair(1, 2)}}, {twice, checked}).status();
  EXPECT_THAT(std::string(failed.message()), HasSubstr("bad number"));
  ExpectOver(run);
}

TEST_P(PartialRunTest, ADeadFetchIsAnError) {
  const PartialRun run = Start({.feeds = {c}, .fetches = {dead}});
  const absl::Status failed = run.Run({{c, Pair(1, 2)}}, {dead}).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("has no value"));
  ExpectOver(run);
}

TEST_P(PartialRunTest, FinishEndsWhatWaits) {
  const PartialRun run =
      Start({.feeds = {a}, .fetches = {twice, taken}, .targets = {}});
  ExpectFloats(run.Run({{a, Pair(1, 2)}}, {twice}), {2, 4});
  EXPECT_EQ(run.Finish(), absl::OkStatus());
  EXPECT_EQ(run.Finish(), absl::OkStatus());
  ExpectOver(run);
  // The step has ended, so it does not take this element from the queue.
  ASSERT_EQ(
      session->Run({.feeds = {{c, Pair(5, 6)}}, .targets = {put}}).status(),
      absl::OkStatus());
  ExpectFloats(session->Run({.fetches = {taken}}), {5, 6});
}

TEST_P(PartialRunTest, AnAbandonedRunEnds) {
  {
    const PartialRun begun = Start({.feeds = {a}, .fetches = {twice, taken}});
    ExpectFloats(begun.Run({{a, Pair(1, 2)}}, {twice}), {2, 4});
    const PartialRun not_begun = Start({.feeds = {a}, .fetches = {twice}});
  }
  // The destructor of a local session waits for its steps. If the session is on
  // a server, the test checks afterwards that the server has no steps left.
  session.reset();
}

TEST_P(PartialRunTest, ClosingTheSessionEndsItsRuns) {
  const PartialRun run = Start({.feeds = {a}, .fetches = {twice, taken}});
  ExpectFloats(run.Run({{a, Pair(1, 2)}}, {twice}), {2, 4});
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(run.Fetch({taken}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(session->StartPartialRun({.fetches = {taken}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// SetUp makes no session. Each test makes its clock first and then calls
// MakeSession.
class PartialRunTimeoutTest : public PartialRunTest {
 protected:
  void SetUp() override {}
};

INSTANTIATE_TEST_SUITE_P(Devices, PartialRunTimeoutTest,
                         ::testing::Values(1, 2));

TEST_P(PartialRunTimeoutTest, ATimeoutEndsTheCallAndTheRun) {
  const std::unique_ptr<testing::SimulatedClock> clock = SimulateTime();
  MakeSession();
  const PartialRun run =
      Start({.feeds = {a},
             .fetches = {twice, taken},
             .options = {.timeout = std::chrono::milliseconds(50)}});
  ExpectFloats(run.Run({{a, Pair(1, 2)}}, {twice}), {2, 4});
  const absl::Status late = run.Fetch({taken}).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded) << late;
  ExpectOver(run);
  EXPECT_EQ(session
                ->StartPartialRun(
                    {.fetches = {taken},
                     .options = {.timeout = std::chrono::milliseconds(0)}})
                .status()
                .code(),
            absl::StatusCode::kDeadlineExceeded);
  session.reset();
}

}  // namespace
}  // namespace leat::partial_run_test
