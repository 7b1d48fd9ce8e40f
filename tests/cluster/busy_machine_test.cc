// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that tasks on an overloaded machine do not assume that slow peers are
// dead.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"

namespace leat::busy_machine_test {
namespace {

using testing::Becomes;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using testing::NumSeeds;
using testing::ServedCluster;

const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};

// Keeps each processor busy with four spinning threads.
class BusyLoops {
 public:
  BusyLoops() {
    const unsigned count =
        4 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!is_ending_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~BusyLoops() {
    is_ending_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;

 private:
  std::atomic<bool> is_ending_{false};
  std::vector<std::thread> threads_;
};

// Keeps the machine busy for longer than a task waits for a silent peer.
void BeBusy() {
  const BusyLoops loops;
  absl::SleepFor(NumSeeds(1) > 1 ? absl::Minutes(5) : absl::Seconds(6));
}

class BusyMachineTest : public ::testing::Test {
 protected:
  void TearDown() override {
    cluster_.ExpectIdle();
    cluster_.End();
  }

  std::shared_ptr<Session> Connect(const Graph& graph) {
    auto session = NewSession(graph, {.target = cluster_.Target(kWorker)});
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  ServedCluster cluster_{"worker=1,ps=1", {"--grace=1"}};
};

TEST_F(BusyMachineTest, NoStepIsLost) {
  auto made = testing::MakeCountingModel(1, "/job:worker/task:0");
  ASSERT_TRUE(made.ok()) << made.status();
  const CountingModel model = *std::move(made);
  const auto session = Connect(model.graph);
  ASSERT_TRUE(session->Run({.targets = {model.graph.init_op()}}).ok());
  CountingClient client(model, {.target = cluster_.Target(kWorker)});
  BeBusy();
  client.Stop();
  for (const CountingClient::Failure& failure : client.failures()) {
    ADD_FAILURE() << failure.status;
  }
  EXPECT_GE(client.done(), 1);
  const auto counts = Counts(*session, model);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ((*counts)[0], static_cast<float>(client.done()));
}

// While the step waits, the tasks send each other only pings.
TEST_F(BusyMachineTest, AStepMayWait) {
  GraphBuilder b;
  Output taken;
  Operation put;
  {
    const Scope on_ps = b.OnDevice("/job:ps/task:0");
    const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
    taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
    put = op::QueueEnqueueV2(queue, {b.Const(7.0f)});
  }
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto session = Connect(*graph);
  auto step = std::async(std::launch::async,
                         [&] { return session->Run({.fetches = {taken}}); });
  EXPECT_TRUE(
      Becomes([&] { return cluster_.Status(kPs).steps().running() == 1; },
              absl::Seconds(30)));
  BeBusy();
  EXPECT_EQ(step.wait_for(std::chrono::seconds(0)),
            std::future_status::timeout);
  const absl::Status given = session->Run({.targets = {put}}).status();
  EXPECT_TRUE(given.ok()) << given;
  if (!given.ok()) {
    EXPECT_TRUE(session->Close().ok());
  }
  const auto result = step.get();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0].scalar<float>(), 7);
}

}  // namespace
}  // namespace leat::busy_machine_test
