// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tasks that fall silent without an end of their connections, as a machine that
// hangs: noticed in time, and what they say later changes nothing.
#include <chrono>
#include <csignal>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"

namespace leat {
namespace {

using ::testing::AnyOf;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::Eq;
using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::ServedCluster;
using Code = absl::StatusCode;

constexpr absl::Duration kNoticed = absl::Seconds(5);
constexpr absl::Duration kResumed = absl::Seconds(5);

class SilentTasksTest : public ::testing::Test {
 protected:
  // Stops a task for `silence`, and expects the client to notice, naming it, to
  // go on when the task does, and exact counts.
  static void StopAndGoOn(const TaskId& task, const std::string& name,
                          absl::Duration silence, int seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    ServedCluster cluster("worker=1,ps=1", {"--grace=1"});
    auto made = testing::MakeCountingModel(1, "/job:worker/task:0");
    ASSERT_TRUE(made.ok()) << made.status();
    const CountingModel model = *std::move(made);
    const SessionOptions options = {
        .target = cluster.Target({"worker", 0}),
        .connect_timeout = std::chrono::milliseconds(500)};
    auto session = NewSession(model.graph, options);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Run({.targets = {model.graph.init_op()}}).ok());
    CountingClient client(model, options);
    ASSERT_TRUE(client.AwaitSteps(20, kResumed));
    absl::SleepFor(absl::Microseconds(random() % 50'000));
    const absl::Time stopped = absl::Now();
    cluster.process(task).Signal(SIGSTOP);
    const auto failure = client.AwaitFailure(stopped, kNoticed);
    EXPECT_TRUE(failure.has_value());
    if (failure.has_value()) {
      EXPECT_EQ(failure->status.code(), Code::kUnavailable) << failure->status;
      EXPECT_THAT(std::string(failure->status.message()), HasSubstr(name));
    }
    absl::SleepFor(stopped + silence - absl::Now());
    cluster.process(task).Signal(SIGCONT);
    EXPECT_TRUE(client.AwaitSteps(20, kResumed));
    client.Stop();
    for (const auto& each : client.failures()) {
      EXPECT_THAT(each.status.code(),
                  AnyOf(Eq(Code::kUnavailable), Eq(Code::kAborted),
                        Eq(Code::kDeadlineExceeded)))
          << each.status;
    }
    auto after = NewSession(model.graph, options);
    ASSERT_TRUE(after.ok()) << after.status();
    const auto counts = Counts(**after, model);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_GE((*counts)[0], static_cast<float>(client.done()));
    EXPECT_LE((*counts)[0], static_cast<float>(client.begun()));
    after->reset();
    session->reset();
    cluster.ExpectIdle();
    cluster.End();
  }
};

TEST_F(SilentTasksTest, AParameterServerIsNamedByTheWorkersMaster) {
  for (int seed = 1; seed <= NumSeeds(1); ++seed) {
    StopAndGoOn({"ps", 0}, "/job:ps/replica:0/task:0",
                NumSeeds(1) > 1 ? absl::Seconds(10) : absl::Seconds(6), seed);
  }
}

TEST_F(SilentTasksTest, AMasterIsNamedByItsClient) {
  for (int seed = 1; seed <= NumSeeds(1); ++seed) {
    StopAndGoOn({"worker", 0}, "127.0.0.1:", absl::Seconds(6), seed);
  }
}

}  // namespace
}  // namespace leat
