// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests collectives over several tasks. Each task has a client of its own, as
// in a program of several workers.
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::cluster_collectives_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::InProcessCluster;
using ::leat::testing::SimulatedClock;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr int kWorkers = 3;

// Is the program of one worker.
struct Worker {
  std::unique_ptr<GraphBuilder> b = std::make_unique<GraphBuilder>();
  Output x;
  Output sum;
  Output sent;  // the result of a broadcast from worker 0
  std::shared_ptr<Session> session;
};

class ClusterCollectivesTest : public ::testing::Test {
 protected:
  ClusterCollectivesTest() {
    for (int i = 0; i < kWorkers; ++i) Add(i);
  }

  void Add(int i) {
    Worker& worker = workers_[i];
    worker = Worker();
    const Scope scope =
        worker.b->OnDevice(absl::StrCat("/job:worker/task:", i));
    worker.x = worker.b->Placeholder<float>("x");
    worker.sum =
        op::CollectiveReduce(worker.x, kWorkers, 1, 1, "Add", "Id", {0});
    worker.sent = i == 0 ? op::CollectiveBcastSendV2(worker.x, kWorkers, 1, 2)
                         : op::CollectiveBcastRecvV2(
                               kWorkers, 1, 2,
                               op::Shape(op::CheckNumerics(worker.x, "x")),
                               DType::kFloat);
    auto session = cluster_.NewSession(*worker.b->Build(), TaskId{"worker", i});
    ASSERT_TRUE(session.ok()) << session.status();
    worker.session = *session;
  }

  absl::StatusOr<std::vector<Tensor>> Run(int i, const Output& fetch,
                                          seconds timeout = seconds(600)) {
    const Worker& worker = workers_[i];
    return worker.session->Run(
        {.feeds = {{worker.x, Tensor::Filled<float>(Shape{4}, 1.0f + i)}},
         .fetches = {fetch},
         .options = {.timeout = timeout}});
  }

  using Results = std::vector<absl::StatusOr<std::vector<Tensor>>>;
  // Runs a step on the workers [first, kWorkers) at the same time.
  Results RunAll(Output Worker::*fetch, int first = 0) {
    Results results(kWorkers, absl::UnknownError("not run"));
    std::vector<Thread> threads;
    for (int i = first; i < kWorkers; ++i) {
      threads.emplace_back("runs", [&, i] {
        results[static_cast<size_t>(i)] = Run(i, workers_[i].*fetch);
      });
    }
    for (Thread& thread : threads) thread.Join();
    return results;
  }
  void ExpectSums() {
    for (const auto& result : RunAll(&Worker::sum)) {
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ((*result)[0].data<float>()[3], 6);
    }
  }

  // Runs steps until one succeeds on all workers. Some fail, because not all
  // workers know yet what has happened.
  void GoOn() {
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Results results = RunAll(&Worker::sum);
      if (absl::c_all_of(results, [](const auto& r) { return r.ok(); })) return;
      clock_.Sleep(seconds(1));
    }
    ADD_FAILURE() << "no step succeeds any more";
  }

  SimulatedClock clock_;
  InProcessCluster cluster_{{{"worker", kWorkers}}};
  Worker workers_[kWorkers];
};

TEST_F(ClusterCollectivesTest, ClientsOfSeveralWorkersReduceTogether) {
  for (int step = 0; step < 3; ++step) ExpectSums();
}

TEST_F(ClusterCollectivesTest, OneWorkerSendsToAll) {
  for (int step = 0; step < 2; ++step) {
    for (const auto& result : RunAll(&Worker::sent)) {
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ((*result)[0].data<float>()[0], 1);
    }
  }
}

TEST_F(ClusterCollectivesTest, AWorkerThatIsLateIsWaitedFor) {
  ExpectSums();
  std::vector<Thread> threads;
  for (int i = 0; i < kWorkers; ++i) {
    threads.emplace_back("runs", [&, i] {
      // Longer than other steps wait that have not begun on a task.
      if (i == 1) clock_.Sleep(seconds(120));
      EXPECT_TRUE(Run(i, workers_[i].sum).ok());
    });
  }
  for (Thread& thread : threads) thread.Join();
}

// The leader is the first worker, which loses its groups.
TEST_F(ClusterCollectivesTest,
       TheOthersFailIfTheLeaderIsLostAndGoOnAfterwards) {
  ExpectSums();
  cluster_.Kill({"worker", 0});
  for (int i = 1; i < kWorkers; ++i) {
    const absl::Status status = RunAll(&Worker::sum, 1)[i].status();
    EXPECT_THAT(status.message(), HasSubstr("/job:worker/replica:0/task:0"));
  }
  cluster_.Start({"worker", 0});
  Add(0);
  GoOn();
}

TEST_F(ClusterCollectivesTest, TheOthersFailIfAMemberIsLostAndGoOnAfterwards) {
  ExpectSums();
  Results results(2, absl::UnknownError("not run"));
  std::vector<Thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back("runs", [&, i] {
      results[static_cast<size_t>(i)] = Run(i, workers_[i].sum);
    });
  }
  // A worker that began later would wait for a new group to form.
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Eventually([&] {
      return cluster_.server({"worker", i}).counters().running == 1;
    }));
  }
  cluster_.Kill({"worker", 2});
  for (Thread& thread : threads) thread.Join();
  for (const auto& result : results) {
    EXPECT_THAT(std::string(result.status().message()),
                HasSubstr("/job:worker/replica:0/task:2"));
  }
  cluster_.Start({"worker", 2});
  Add(2);
  GoOn();
}

// The sender of a broadcast receives nothing, so only the watch tells it.
TEST_F(ClusterCollectivesTest, TheSenderOfABroadcastHearsThatAReceiverIsLost) {
  ASSERT_TRUE(RunAll(&Worker::sent)[0].ok());
  cluster_.Kill({"worker", 2});
  const auto begun = clock_.Now();
  const absl::Status status = Run(0, workers_[0].sent).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(status.message(), HasSubstr("/job:worker/replica:0/task:2"));
  EXPECT_LT(clock_.Now() - begun, seconds(5));
}

// Worker 2 fails before its part of the broadcast.
TEST_F(ClusterCollectivesTest,
       TheSenderOfABroadcastHearsThatAReceiverHasFailed) {
  ASSERT_TRUE(RunAll(&Worker::sent)[0].ok());
  Thread sender("sends", [&] {
    const absl::Status status = Run(0, workers_[0].sent).status();
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("Collective ops is aborted by: From "
                          "/job:worker/replica:0/task:2"));
  });
  EXPECT_TRUE(Eventually([&] {
    return cluster_.server({"worker", 0}).counters().running == 1;
  }));
  const Tensor nan = Tensor::Filled<float>(Shape{4}, NAN);
  EXPECT_FALSE(workers_[2]
                   .session
                   ->Run({.feeds = {{workers_[2].x, nan}},
                          .fetches = {workers_[2].sent}})
                   .ok());
  sender.Join();
}

TEST_F(ClusterCollectivesTest, AStepThatOneClientGivesUpFailsForAll) {
  ExpectSums();
  EXPECT_FALSE(Run(0, workers_[0].sum, seconds(1)).ok());
  GoOn();
}

TEST_F(ClusterCollectivesTest, NothingIsLeft) {
  ExpectSums();
  for (Worker& worker : workers_) worker = Worker();
  EXPECT_EQ(cluster_.Leaks(), "");
}

}  // namespace
}  // namespace leat::cluster_collectives_test
