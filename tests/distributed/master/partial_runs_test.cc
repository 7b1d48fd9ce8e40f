// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests partial runs on two tasks: which tensors the tasks send each other,
// which task's error reaches the client, and that abandoned runs leave nothing
// behind.
#include "leat/distributed/master/partial_runs.h"

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/distributed/scripted_task.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::partial_runs_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::InProcessCluster;
using ::testing::HasSubstr;

const TaskId kWorker = {"worker", 0};
const TaskId kPs = {"ps", 0};

// The worker computes `twice` from a. The ps computes `sum` from `twice` and c.
// `first` and `second` add values to variables on the ps. The worker computes
// these values from different feeds and sends them to the ps.
class PartialRunsTest : public ::testing::Test {
 protected:
  explicit PartialRunsTest(const ServerLimits& limits = {})
      : cluster({{"ps", 1}, {"worker", 1}}, limits) {
    const Scope worker = b.OnDevice("/job:worker");
    a = b.Placeholder<float>("a", PartialShape(Shape{}));
    c = b.Placeholder<float>("c", PartialShape(Shape{}));
    twice = a * 2.0f;
    const Output thrice = c * 3.0f;
    // Only tensors whose shapes are known travel in bundles.
    const Output to_v = op::Reshape(twice, {1});
    const Output to_w = op::Reshape(thrice, {1});
    const Scope ps = b.OnDevice("/job:ps");
    sum = twice + c;
    checked = op::CheckNumerics(thrice, "bad number");
    const VariableOptions reference{.use_resource = false};
    const Variable v = b.Variable("v", b.Const<float>({1}), reference);
    const Variable w = b.Variable("w", b.Const<float>({1}), reference);
    first = op::AssignAdd(v.handle(), to_v);
    second = op::AssignAdd(w.handle(), to_w);
  }

  std::shared_ptr<Session> NewSession() {
    const auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto session = cluster.NewSession(*graph, kWorker);
    EXPECT_TRUE(session.ok()) << session.status();
    return *session;
  }
  static float One(const absl::StatusOr<std::vector<Tensor>>& fetched) {
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? (*fetched)[0].data<float>()[0] : 0;
  }

  const testing::SimulatedClock clock;
  GraphBuilder b;
  Output a, c, twice, sum, checked, first, second;
  InProcessCluster cluster;
};

TEST_F(PartialRunsTest, RunsOverTasks) {
  const auto session = NewSession();
  const auto run =
      session->StartPartialRun({.feeds = {a, c}, .fetches = {twice, sum}});
  ASSERT_TRUE(run.ok()) << run.status();
  const float got = One(run->Run({{a, Tensor::Scalar(1.5f)}}, {twice}));
  EXPECT_EQ(got, 3);
  EXPECT_EQ(One(run->Run({{c, Tensor::Scalar(got)}}, {sum})), 6);
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(cluster.Leaks(), "");
}

// In an ordinary step, one bundle would carry the two values that are added to
// v and w. In a partial run, such a bundle would make `first` wait for the feed
// of `second`. So each value must travel alone.
TEST_F(PartialRunsTest, AFetchWaitsForItsOwnFeedsOnly) {
  const auto session = NewSession();
  ASSERT_EQ(session->Run({.targets = {b.Build()->init_op()}}).status(),
            absl::OkStatus());
  const auto run =
      session->StartPartialRun({.feeds = {a, c}, .fetches = {first, second}});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(One(run->Run({{a, Tensor::Scalar(1.0f)}}, {first})), 3);
  EXPECT_EQ(One(run->Run({{c, Tensor::Scalar(1.0f)}}, {second})), 4);
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(cluster.Leaks(), "");
}

TEST_F(PartialRunsTest, AnErrorOfAnotherTaskIsTheCause) {
  const auto session = NewSession();
  const auto run =
      session->StartPartialRun({.feeds = {a, c}, .fetches = {twice, checked}});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(One(run->Run({{a, Tensor::Scalar(1.0f)}}, {twice})), 2);
  const Tensor infinity =
      Tensor::Scalar(std::numeric_limits<float>::infinity());
  const absl::Status failed = run->Run({{c, infinity}}, {checked}).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("bad number"));
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(cluster.Leaks(), "");
}

// A session may have only a limited number of partial runs at a time. A run
// that ends makes room for another run at once. An abandoned run makes room
// when it is destroyed.
TEST_F(PartialRunsTest, ASessionHasALimitedNumber) {
  const auto session = NewSession();
  const PartialRunArgs args{.feeds = {a}, .fetches = {twice}};
  std::vector<PartialRun> runs;
  for (size_t i = 0; i < PartialRuns::kMaxPartialRuns; ++i) {
    const auto run = session->StartPartialRun(args);
    ASSERT_TRUE(run.ok()) << run.status();
    runs.push_back(*run);
  }
  EXPECT_EQ(session->StartPartialRun(args).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(One(runs[0].Run({{a, Tensor::Scalar(1.0f)}}, {twice})), 2);
  EXPECT_TRUE(session->StartPartialRun(args).ok());
  EXPECT_EQ(runs[1].Finish(), absl::OkStatus());
  EXPECT_TRUE(session->StartPartialRun(args).ok());
  runs.clear();
  EXPECT_TRUE(Eventually([&] { return session->StartPartialRun(args).ok(); }));
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(cluster.Leaks(), "");
}

class LongPartialRunsTest : public PartialRunsTest {
 protected:
  LongPartialRunsTest()
      : PartialRunsTest({.max_step_time = std::chrono::seconds(10)}) {}
};

TEST_F(LongPartialRunsTest, EndAfterTheLongestTimeOfAStep) {
  const auto session = NewSession();
  const auto run =
      session->StartPartialRun({.feeds = {a, c}, .fetches = {twice, sum}});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(One(run->Run({{a, Tensor::Scalar(1.0f)}}, {twice})), 2);
  EXPECT_EQ(cluster.server(kPs).counters().steps, 1);
  EXPECT_TRUE(Eventually([&] {
    return cluster.server(kPs).counters().steps == 0 &&
           cluster.server(kWorker).counters().steps == 0;
  }));
  EXPECT_EQ(run->Feed({{c, Tensor::Scalar(1.0f)}}).message(),
            "Must run PartialRunSetup before performing partial runs");
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(cluster.Leaks(), "");
}

TEST_F(PartialRunsTest, AServerThatStopsEndsThem) {
  const auto session = NewSession();
  const auto run =
      session->StartPartialRun({.feeds = {a, c}, .fetches = {twice, sum}});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(One(run->Run({{a, Tensor::Scalar(1.0f)}}, {twice})), 2);
  cluster.Kill(kPs);
  EXPECT_FALSE(run->Run({{c, Tensor::Scalar(1.0f)}}, {sum}).ok());
}

// A TensorFlow task that deletes a session does not end the session's steps. So
// the master must tell the task to end them.
TEST(ForeignPartialRunsTest, AreEndedWithTheirSession) {
  testing::SimulatedClock clock;
  const auto network = std::make_shared<testing::InProcessNetwork>(2, clock);
  testing::ScriptedTask ps("/job:ps/replica:0/task:0", "localhost:1", network);
  const auto server =
      Server::Start({.config = {.cluster = *ClusterSpec::Create(
                                    {{"ps", {{0, "localhost:1"}}},
                                     {"worker", {{0, "localhost:2"}}}}),
                                .task = kWorker},
                     .devices = {.num_threads = 2},
                     .transport = "in-process",
                     .transports = &network->transports()});
  ASSERT_TRUE(server.ok()) << server.status();
  GraphBuilder b;
  const Scope on_ps = b.OnDevice("/job:ps");
  const Output a = b.Placeholder<float>("a", PartialShape(Shape{}));
  const Output c = b.Placeholder<float>("c", PartialShape(Shape{}));
  const Output sum = a + c;
  const auto session = NewRemoteSession(*b.Build(), "in-process://localhost:2",
                                        {.transports = &network->transports()});
  ASSERT_TRUE(session.ok()) << session.status();
  const PartialRunArgs args{.feeds = {a, c}, .fetches = {sum}};
  const auto unused = (*session)->StartPartialRun(args);
  const auto run = (*session)->StartPartialRun(args);
  ASSERT_TRUE(unused.ok() && run.ok()) << run.status();
  EXPECT_EQ(run->Feed({{a, Tensor::Scalar(1.0f)}}), absl::OkStatus());
  EXPECT_EQ(ps.num_calls(methods::kCleanupGraph), 0);
  EXPECT_EQ((*session)->Close(), absl::OkStatus());
  EXPECT_EQ(ps.num_calls(methods::kCleanupGraph), 1);
}

}  // namespace
}  // namespace leat::partial_runs_test
