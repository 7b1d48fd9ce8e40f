// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests tasks that fall silent without closing their connections, as on a
// machine that hangs. The other tasks must notice the silence and stop waiting
// for the silent tasks. When a silent task continues, the calls that it then
// receives, and the replies that it then sends, must change nothing.
//
// The tests print how soon the silence is noticed. This should happen within 5
// s, but a busy machine may take longer. Without pings the silence would not be
// noticed at all.
#include <chrono>
#include <csignal>
#include <iostream>
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

namespace leat::silent_tasks_test {
namespace {

using ::testing::AnyOf;
using testing::Becomes;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::ServedCluster;
using Code = absl::StatusCode;

const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};
constexpr char kPsName[] = "/job:ps/replica:0/task:0";
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kNoticed = absl::Seconds(20);

class SilentTasksTest : public ::testing::Test {
 protected:
  void SetUp() override { Begin(); }

  // Starts a new cluster, connects `session_`, and initializes the variable.
  void Begin() {
    session_ = nullptr;
    // A client's Close may time out while the master is silent. The session
    // then remains until the master deletes it as an idle session.
    cluster_ = std::make_unique<ServedCluster>(
        "worker=1,ps=1",
        std::vector<std::string>{"--grace=1", "--session-idle=15"});
    session_ = Connect();
    ASSERT_NE(session_, nullptr);
    const auto result = session_->Run({.targets = {model_->graph.init_op()}});
    ASSERT_TRUE(result.ok()) << result.status();
  }
  std::shared_ptr<Session> Connect() const {
    auto session =
        NewSession(model_->graph, {.target = cluster_->Target(kWorker)});
    EXPECT_TRUE(session.ok()) << session.status();
    return session.value_or(nullptr);
  }
  static void ExpectNoticed(const absl::Status& status, absl::Duration after,
                            const std::string& name) {
    std::cout << "noticed after " << after << "\n";
    EXPECT_LT(after, kNoticed);
    EXPECT_EQ(status.code(), Code::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
  }

  // Stops the process of `task` for `silence`, or longer if the client and
  // `other` need longer to notice the stop. The client must get an error that
  // contains `name`. The task `other` must end all steps and calls that involve
  // `task`. After the process continues, steps must succeed again. At the end,
  // the value of the variable must lie between the number of steps that
  // succeeded and the number of steps that began.
  void StopAndGoOn(const TaskId& task, const TaskId& other,
                   const std::string& name, absl::Duration silence, int seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    // The timeout is short, because client.Stop() may have to wait for this
    // timeout while a task is silent.
    const SessionOptions options = {.target = cluster_->Target(kWorker),
                                    .connect_timeout = std::chrono::seconds(2)};
    CountingClient client(*model_, options);
    ASSERT_TRUE(client.AwaitSteps(20, kPatience));
    absl::SleepFor(absl::Microseconds(random() % 50'000));
    const absl::Time stopped = absl::Now();
    cluster_->process(task).Stop();
    const auto failure = client.AwaitFailure(stopped, kPatience);
    ASSERT_TRUE(failure.has_value());
    ExpectNoticed(failure->status, failure->when - stopped, name);
    // If the parameter server is silent, ends the client, because the client's
    // steps would call the parameter server again and again. If the worker is
    // silent, does not end the client yet. The worker is the client's master,
    // so Stop would wait for the silent worker.
    if (task.job == kPs.job) client.Stop();
    cluster_->ExpectQuiet(other);
    std::cout << "given up after " << absl::Now() - stopped << "\n";
    absl::SleepFor(stopped + silence - absl::Now());

    const absl::Time resumed = absl::Now();
    cluster_->process(task).Signal(SIGCONT);
    CountingClient again(*model_, options);
    EXPECT_TRUE(again.AwaitSteps(20, kPatience));
    std::cout << "goes on after " << absl::Now() - resumed << "\n";
    again.Stop();
    client.Stop();
    for (const CountingClient* each : {&client, &again}) ExpectLost(*each);
    const auto counts = Counts(*Connect(), *model_);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_GE((*counts)[0], static_cast<float>(client.done() + again.done()));
    EXPECT_LE((*counts)[0], static_cast<float>(client.begun() + again.begun()));
    session_ = nullptr;
    cluster_->ExpectIdle();
    cluster_->End();
  }
  static void ExpectLost(const CountingClient& client) {
    for (const auto& each : client.failures()) {
      EXPECT_THAT(each.status.code(),
                  AnyOf(Eq(Code::kUnavailable), Eq(Code::kAborted),
                        Eq(Code::kDeadlineExceeded)))
          << each.status;
    }
  }

  const absl::StatusOr<CountingModel> model_ =
      testing::MakeCountingModel(1, "/job:worker/task:0");
  std::unique_ptr<ServedCluster> cluster_;
  std::shared_ptr<Session> session_;
};

TEST_F(SilentTasksTest, AParameterServerIsNamedByTheWorkersMaster) {
  const absl::Duration silence =
      NumSeeds() > 2 ? absl::Seconds(10) : absl::ZeroDuration();
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    if (seed > 1) Begin();
    StopAndGoOn(kPs, kWorker, kPsName, silence, seed);
  }
}

TEST_F(SilentTasksTest, AMasterIsNamedByItsClient) {
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    if (seed > 1) Begin();
    StopAndGoOn(kWorker, kPs, "127.0.0.1:", absl::ZeroDuration(), seed);
  }
}

// The step ends while the parameter server is stopped. When the parameter
// server continues, it gets the request to run its part of the step, which is
// too late. Then it learns from the worker that the step has ended.
TEST_F(SilentTasksTest, AStepThatAParameterServerHearsOfTooLateDoesNothing) {
  // A step that hangs must fail the test instead of blocking it.
  const RunArgs step = {
      .targets = {model_->step},
      .options = {.timeout = absl::ToChronoNanoseconds(kPatience)}};
  for (int i = 0; i < 3; ++i) {
    const auto result = session_->Run(step);
    ASSERT_TRUE(result.ok()) << result.status();
  }
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    cluster_->process(kPs).Stop();
    const absl::Time stopped = absl::Now();
    const auto late = session_->Run(step);
    ExpectNoticed(late.status(), absl::Now() - stopped, kPsName);
    cluster_->ExpectQuiet(kWorker);
    cluster_->process(kPs).Signal(SIGCONT);
    cluster_->ExpectQuiet(kPs);
    // The session works again as soon as the connection does.
    absl::StatusOr<std::vector<float>> counts;
    EXPECT_TRUE(Becomes(
        [&] {
          counts = Counts(*session_, *model_);
          return !absl::IsUnavailable(counts.status());
        },
        kPatience));
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_THAT(*counts, ElementsAre(2 + seed));
    const auto result = session_->Run(step);
    ASSERT_TRUE(result.ok()) << result.status();
  }
  session_ = nullptr;
  cluster_->ExpectIdle();
  cluster_->End();
}

}  // namespace
}  // namespace leat::silent_tasks_test
