// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests tasks that are killed while clients train on them asynchronously: which
// clients notice, which errors they get, and what the variables hold
// afterwards. A step takes effect at most once, and exactly once if it succeeds
// for the client.
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"

namespace leat::killed_tasks_test {
namespace {

using ::testing::AnyOf;
using testing::Becomes;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::Eq;
using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::ServedCluster;
using Code = absl::StatusCode;

constexpr int kPs = 2;
// A broken connection is noticed at once, unless the machine is busy.
constexpr absl::Duration kPatience = absl::Seconds(30);

class KilledTasksTest : public ::testing::Test {
 protected:
  static CountingModel Model(int worker) {
    auto model = testing::MakeCountingModel(
        kPs, absl::StrCat("/job:worker/task:", worker));
    EXPECT_TRUE(model.ok()) << model.status();
    return *std::move(model);
  }
  static SessionOptions Options(const ServedCluster& cluster, int worker) {
    return {.target = cluster.Target({"worker", worker}),
            .device_filters = {"/job:ps",
                               absl::StrCat("/job:worker/task:", worker)},
            .connect_timeout = std::chrono::seconds(2)};
  }
  // Returns a session on the master of worker 0.
  static std::shared_ptr<Session> Connect(const ServedCluster& cluster) {
    SessionOptions options = Options(cluster, 0);
    // No task is missing here, so only a slow machine needs this much time.
    options.connect_timeout = std::chrono::seconds(30);
    auto session = NewSession(Model(0).graph, options);
    EXPECT_TRUE(session.ok()) << session.status();
    return session.value_or(nullptr);
  }
  static void Initialize(Session& session) {
    const auto result = session.Run({.targets = {Model(0).graph.init_op()}});
    EXPECT_TRUE(result.ok()) << result.status();
  }

  void Train(const ServedCluster& cluster, int workers) {
    Initialize(*Connect(cluster));
    for (int i = 0; i < workers; ++i) {
      clients_.push_back(
          std::make_unique<CountingClient>(Model(i), Options(cluster, i)));
    }
    for (const auto& client : clients_) {
      EXPECT_TRUE(client->AwaitSteps(20, kPatience));
    }
  }
  // Ends the clients. Expects that each variable is at least the number of
  // steps that succeeded, and at most the number of steps that began.
  void ExpectCounts(const ServedCluster& cluster) {
    int64_t begun = 0;
    int64_t done = 0;
    for (const auto& client : clients_) {
      client->Stop();
      begun += client->begun();
      done += client->done();
    }
    const auto counts = Counts(*Connect(cluster), Model(0));
    ASSERT_TRUE(counts.ok()) << counts.status();
    for (const float count : *counts) {
      EXPECT_GE(count, static_cast<float>(done));
      EXPECT_LE(count, static_cast<float>(begun));
    }
  }

  std::vector<std::unique_ptr<CountingClient>> clients_;
};

TEST_F(KilledTasksTest, AWorkerThatIsKilledDisturbsNobodyElse) {
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    ServedCluster cluster("worker=3,ps=2", {"--grace=1"});
    Train(cluster, 3);
    for (int round = 0; round < 3; ++round) {
      const size_t victim = random() % clients_.size();
      const TaskId task{"worker", static_cast<int>(victim)};
      absl::SleepFor(absl::Microseconds(random() % 50'000));
      const absl::Time killed = absl::Now();
      cluster.Kill(task);
      for (size_t i = 0; i < clients_.size(); ++i) {
        EXPECT_TRUE(i == victim || clients_[i]->AwaitSteps(20, kPatience)) << i;
      }
      const auto failure = clients_[victim]->AwaitFailure(killed, kPatience);
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->status.code(), Code::kUnavailable) << failure->status;
      EXPECT_THAT(std::string(failure->status.message()),
                  HasSubstr(cluster.Address(task)));
      cluster.Start(task);
      EXPECT_TRUE(clients_[victim]->AwaitSteps(20, kPatience));
      for (size_t i = 0; i < clients_.size(); ++i) {
        if (i == victim) continue;
        EXPECT_FALSE(
            clients_[i]->AwaitFailure(killed, absl::ZeroDuration()).has_value())
            << i;
      }
    }
    ExpectCounts(cluster);
    clients_.clear();
    cluster.ExpectIdle();
    cluster.End();
  }
}

TEST_F(KilledTasksTest, AKilledParameterServerIsNamedAndItsVariablesAreMissed) {
  const std::string name = "/job:ps/replica:0/task:1";
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    ServedCluster cluster("worker=2,ps=2", {"--grace=1"});
    auto before = Connect(cluster);
    Train(cluster, 2);
    absl::SleepFor(absl::Microseconds(random() % 50'000));
    const absl::Time killed = absl::Now();
    cluster.Kill({"ps", 1});
    for (const auto& client : clients_) {
      const auto failure = client->AwaitFailure(killed, kPatience);
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->status.code(), Code::kUnavailable) << failure->status;
      EXPECT_THAT(std::string(failure->status.message()), HasSubstr(name));
    }
    // A step that begins while the task is missing gets the same error without
    // waiting.
    const auto meanwhile =
        before->Run({.targets = {Model(0).step},
                     .options = {.timeout = std::chrono::seconds(60)}});
    EXPECT_EQ(meanwhile.status().code(), Code::kUnavailable);
    EXPECT_THAT(std::string(meanwhile.status().message()), HasSubstr(name));

    cluster.Start({"ps", 1});
    // The session `before` is older than the restart. Once it has noticed that
    // the task is a new process, its steps end with ABORTED.
    absl::Status old;
    EXPECT_TRUE(Becomes(
        [&] {
          old = before->Run({.targets = {Model(0).step}}).status();
          return old.code() != Code::kUnavailable;
        },
        kPatience));
    EXPECT_EQ(old.code(), Code::kAborted) << old;
    EXPECT_THAT(std::string(old.message()), HasSubstr(name));
    // A new session finds that the new process does not have the variable.
    auto session = Connect(cluster);
    const auto lost = session->Run({.targets = {Model(0).step}});
    EXPECT_EQ(lost.status().code(), Code::kFailedPrecondition) << lost.status();
    EXPECT_THAT(std::string(lost.status().message()), HasSubstr("v1"));
    EXPECT_THAT(std::string(lost.status().message()), HasSubstr(name));
    const absl::Time restarted = absl::Now();
    for (const auto& client : clients_) {
      EXPECT_TRUE(Becomes(
          [&] {
            const auto failure =
                client->AwaitFailure(restarted, absl::ZeroDuration());
            return failure.has_value() &&
                   failure->status.code() == Code::kFailedPrecondition;
          },
          kPatience));
    }
    Initialize(*session);
    for (const auto& client : clients_) {
      EXPECT_TRUE(client->AwaitSteps(20, kPatience));
    }
    clients_.clear();
    const auto counts = Counts(*session, Model(0));
    EXPECT_TRUE(counts.ok()) << counts.status();
    before.reset();
    session.reset();
    cluster.ExpectIdle();
    cluster.End();
  }
}

TEST_F(KilledTasksTest, AMasterThatStaysAwayLeavesNothingBehind) {
  const TaskId ps{"ps", 0};
  ServedCluster cluster("worker=2,ps=2", {"--grace=1", "--master-silence=1"});
  Train(cluster, 2);
  const absl::Time killed = absl::Now();
  cluster.Kill({"worker", 0});
  pb::TaskStatusResponse status;
  ASSERT_TRUE(Becomes(
      [&] {
        status = cluster.Status(ps);
        return status.num_worker_sessions() == 1;
      },
      kPatience))
      << status.DebugString();
  EXPECT_EQ(status.worker_sessions(0).master_task(),
            "/job:worker/replica:0/task:1");
  // The other client notices nothing.
  EXPECT_TRUE(clients_[1]->AwaitSteps(20, kPatience));
  EXPECT_FALSE(
      clients_[1]->AwaitFailure(killed, absl::ZeroDuration()).has_value());
  // The killed task can still come back.
  cluster.Start({"worker", 0});
  EXPECT_TRUE(clients_[0]->AwaitSteps(20, kPatience));
  ExpectCounts(cluster);
  clients_.clear();
  cluster.ExpectIdle();
  cluster.End();
}

TEST_F(KilledTasksTest, VariablesOutliveTheWorkersMaster) {
  ServedCluster cluster("worker=1,ps=2", {"--grace=1"});
  Train(cluster, 1);
  for (int round = 0; round < NumSeeds(); ++round) {
    cluster.Kill({"worker", 0});
    cluster.Start({"worker", 0});
    EXPECT_TRUE(clients_[0]->AwaitSteps(20, kPatience));
    for (const auto& failure : clients_[0]->failures()) {
      EXPECT_THAT(failure.status.code(),
                  AnyOf(Eq(Code::kUnavailable), Eq(Code::kAborted)))
          << failure.status;
    }
  }
  ExpectCounts(cluster);
  cluster.ExpectIdle();
  cluster.End();
}

}  // namespace
}  // namespace leat::killed_tasks_test
