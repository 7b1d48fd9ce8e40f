// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Steps wait for one parameter server, while another parameter server of their
// session is killed or stops. Tests that the clients of the steps soon get an
// error. The test prints how soon they get it. This should happen within 5 s,
// but a busy machine may take longer.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/session.h"

namespace leat::waiting_steps_test {
namespace {

using testing::Becomes;
using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::ServedCluster;

constexpr int kWorkers = 2;
// On a busy machine, it may take this long until clients hear of a lost task.
constexpr absl::Duration kNoticed = absl::Seconds(20);

class WaitingStepsTest : public ::testing::Test {
 protected:
  // Returns a session on the master of worker number `worker`. The session has
  // already run a step on each parameter server.
  std::shared_ptr<Session> Connect(int worker) {
    GraphBuilder b;
    for (int i = 0; i < 2; ++i) {
      const Scope ps = b.OnDevice(absl::StrCat("/job:ps/task:", i));
      const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
      used_[i] = op::QueueSizeV2(queue).name();
      token_[i] = op::QueueDequeueV2(queue, {DType::kFloat})[0].name();
    }
    auto session =
        NewSession(*b.Build(), {.target = cluster_.Target({"worker", worker}),
                                .connect_timeout = std::chrono::seconds(30)});
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return nullptr;
    EXPECT_EQ((*session)->Run({.fetches = {used_[0], used_[1]}}).status(),
              absl::OkStatus());
    return *session;
  }

  // Makes a client of each worker wait for a token of the parameter server that
  // stays. Then calls `lose`, which must kill or stop parameter server number
  // `lost`. Expects that all clients get an error that names this parameter
  // server.
  void LoseWhileAllWait(int lost, absl::FunctionRef<void()> lose) {
    std::vector<std::shared_ptr<Session>> sessions;
    for (int i = 0; i < kWorkers; ++i) {
      sessions.push_back(Connect(i));
      ASSERT_NE(sessions.back(), nullptr);
    }
    std::vector<absl::Status> statuses(kWorkers);
    std::vector<absl::Time> ends(kWorkers);
    std::vector<std::thread> clients;
    for (int i = 0; i < kWorkers; ++i) {
      clients.emplace_back([&, i] {
        statuses[i] =
            sessions[i]
                ->Run({.fetches = {token_[1 - lost]},
                       .options = {.timeout = std::chrono::seconds(60)}})
                .status();
        ends[i] = absl::Now();
      });
    }
    EXPECT_TRUE(Becomes(
        [&] {
          return cluster_.Status({"ps", 1 - lost}).steps().running() ==
                 kWorkers;
        },
        absl::Seconds(30)));
    const absl::Time begun = absl::Now();
    lose();
    for (std::thread& client : clients) client.join();
    for (const absl::Status& status : statuses) {
      EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
      EXPECT_THAT(
          std::string(status.message()),
          HasSubstr(absl::StrCat("From /job:ps/replica:0/task:", lost)));
    }
    const absl::Duration longest =
        *std::max_element(ends.begin(), ends.end()) - begun;
    EXPECT_LT(longest, kNoticed);
    std::cout << "All heard of ps " << lost << " within " << longest << "\n";
  }

  ServedCluster cluster_{absl::StrCat("worker=", kWorkers, ",ps=2"),
                         {"--grace=0"}};
  std::string used_[2];
  std::string token_[2];
};

TEST_F(WaitingStepsTest, EndWhenAnyParameterServerIsKilled) {
  for (int seed = 0; seed < NumSeeds(); ++seed) {
    const TaskId ps{"ps", seed % 2};
    LoseWhileAllWait(ps.index, [&] { cluster_.Kill(ps); });
    cluster_.Start(ps);
  }
}

TEST_F(WaitingStepsTest, EndWhenAnyParameterServerStops) {
  const TaskId ps{"ps", 1};
  LoseWhileAllWait(ps.index, [&] { cluster_.process(ps).Stop(); });
  cluster_.process(ps).Signal(SIGCONT);
}

}  // namespace
}  // namespace leat::waiting_steps_test
