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
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/collectives/cluster_collectives.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/graph_text.h"
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
  Output alone;  // a sum in a group of one
  Output sent;   // the result of a broadcast from worker 0
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
    worker.alone = op::CollectiveReduce(worker.x, 1, 1, 3, "Add", "Id", {0});
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

  // Runs a broadcast that fails on this worker before its collective.
  absl::Status RunWithNaN(int i) {
    const Worker& worker = workers_[i];
    return worker.session
        ->Run({.feeds = {{worker.x, Tensor::Filled<float>(Shape{4}, NAN)}},
               .fetches = {worker.sent}})
        .status();
  }
  int64_t NumRunning(int i) {
    return static_cast<int64_t>(
        cluster_.server({"worker", i}).counters().running);
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
    EXPECT_TRUE(Eventually([&] { return NumRunning(i) == 1; }));
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
  EXPECT_TRUE(Eventually([&] { return NumRunning(0) == 1; }));
  EXPECT_FALSE(RunWithNaN(2).ok());
  sender.Join();
}

// The leader knows no complete group yet, so the members do not know each
// other.
TEST_F(ClusterCollectivesTest, AFailureBeforeTheGroupIsKnownFailsForAll) {
  std::vector<Thread> waiting;
  for (const int i : {0, 1}) {
    waiting.emplace_back("waits", [&, i] {
      const absl::Status status = Run(i, workers_[i].sent).status();
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("Collective ops is aborted by: From "
                            "/job:worker/replica:0/task:2"));
    });
    EXPECT_TRUE(Eventually([&] { return NumRunning(i) == 1; }));
  }
  EXPECT_FALSE(RunWithNaN(2).ok());
  for (Thread& thread : waiting) thread.Join();
  for (const auto& result : RunAll(&Worker::sent)) {
    EXPECT_TRUE(result.ok()) << result.status();
  }
}

TEST_F(ClusterCollectivesTest, AKnownGroupKeepsItsSize) {
  ExpectSums();
  const absl::Status status = Run(1, workers_[1].alone).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("Device /job:worker/replica:0/task:1/device:CPU:0 is joining a "
                "group with size1, but that group has size 3 (group_key=1)"));
  GoOn();
}

// Worker 1 has no step when worker 2 is lost.
TEST_F(ClusterCollectivesTest, WhoBeginsAfterALossFailsOnceAndThenWaits) {
  ExpectSums();
  cluster_.Kill({"worker", 2});
  const auto begun = clock_.Now();
  for (const int i : {0, 1}) {
    EXPECT_THAT(std::string(Run(i, workers_[i].sum).status().message()),
                HasSubstr("/job:worker/replica:0/task:2"));
  }
  EXPECT_LT(clock_.Now() - begun, seconds(10));
  std::vector<Thread> threads;
  const auto start = [&](int i) {
    threads.emplace_back("runs", [&, i] {
      const auto sum = Run(i, workers_[i].sum);
      ASSERT_TRUE(sum.ok()) << i << ": " << sum.status();
      EXPECT_EQ((*sum)[0].data<float>()[3], 6);
    });
    EXPECT_TRUE(Eventually([&] { return NumRunning(i) == 1; }));
  };
  start(0);
  start(1);
  cluster_.Start({"worker", 2});
  Add(2);
  threads.emplace_back("runs",
                       [&] { EXPECT_TRUE(Run(2, workers_[2].sum).ok()); });
  for (Thread& thread : threads) thread.Join();
}

TEST_F(ClusterCollectivesTest, ASessionHearsOfALossThoughAnotherHasFailed) {
  ExpectSums();
  const Worker idle = std::move(workers_[1]);
  Add(1);
  cluster_.Kill({"worker", 2});
  EXPECT_FALSE(Run(0, workers_[0].sum).ok());
  EXPECT_FALSE(RunWithNaN(1).ok());
  const absl::Status status =
      idle.session
          ->Run({.feeds = {{idle.x, Tensor::Filled<float>(Shape{4}, 1)}},
                 .fetches = {idle.sum},
                 .options = {.timeout = seconds(600)}})
          .status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/job:worker/replica:0/task:2"));
}

TEST_F(ClusterCollectivesTest, AFunctionThatIsCalledAtRunTimeReduces) {
  for (int i = 0; i < kWorkers; ++i) {
    const std::string on =
        absl::StrCat("device: \"/job:worker/task:", i, "\" ");
    std::string body = FunctionText(
        "body", 1, "DT_FLOAT",
        InnerNode("sum", "CollectiveReduce", {"a0"},
                  Float() + Attr("group_size", absl::StrCat("i: ", kWorkers)) +
                      Attr("group_key", "i: 1") + Attr("instance_key", "i: 9") +
                      Attr("merge_op", "s: \"Add\"") +
                      Attr("final_op", "s: \"Id\"") +
                      Attr("subdiv_offsets", "list { i: 0 }")) +
            Return("sum:data:0"));
    body.insert(body.find("input_arg"),
                "input_arg { name: \"i\" type: DT_INT32 } ");
    const auto number = [&](const std::string& name, int value) {
      return NodeText(
          name, "Const", {},
          on + Attr("dtype", "type: DT_INT32") +
              Attr("value", absl::StrCat("tensor { dtype: DT_INT32 "
                                         "tensor_shape {} int_val: ",
                                         value, " }")));
    };
    const Graph graph =
        ImportText(body + FloatPlaceholder("x") + number("start", 0) +
                       number("limit", 3) + number("delta", 1) +
                       NodeText("y", "For", {"start", "limit", "delta", "x"},
                                on + Floats("T", 1) + Func("body", "body")),
                   BuiltinOps());
    auto session = cluster_.NewSession(graph, TaskId{"worker", i});
    ASSERT_TRUE(session.ok()) << session.status();
    workers_[i].session = *session;
  }
  std::vector<Thread> threads;
  for (int i = 0; i < kWorkers; ++i) {
    threads.emplace_back("runs", [&, i] {
      const auto result =
          workers_[i].session->Run({.feeds = {{"x", Tensor::Scalar(1.0f + i)}},
                                    .fetches = {"y"},
                                    .options = {.timeout = seconds(600)}});
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ((*result)[0].scalar<float>(), 6 * kWorkers * kWorkers);
    });
  }
  for (Thread& thread : threads) thread.Join();
}

TEST_F(ClusterCollectivesTest, AStepThatOneClientGivesUpFailsForAll) {
  ExpectSums();
  EXPECT_FALSE(Run(0, workers_[0].sum, seconds(1)).ok());
  GoOn();
}

// Each run that fails reports the failure.
TEST(FailedStepsTest, TheOthersAreToldOnce) {
  SimulatedClock clock;
  FakeTaskCaller tasks;
  TimerQueue timers("timers", clock);
  StepTable steps("task", {}, timers, [](int64_t) { return nullptr; });
  const auto cluster =
      ClusterSpec::Create({{"worker", {{0, "a:1"}, {1, "b:1"}, {2, "c:1"}}}});
  ClusterCollectives collectives("/job:worker/replica:0/task:0", *cluster,
                                 seconds(1), tasks, timers, steps);
  for (int i = 0; i < 3; ++i) {
    collectives.StepHasFailed(7, absl::InternalError("x"));
  }
  EXPECT_EQ(tasks.num_calls(), 2u);
  collectives.StepHasFailed(9, absl::InternalError("x"));
  EXPECT_EQ(tasks.num_calls(), 4u);
}

// Runs a graph of each of two clients 20 times. `build` adds the graph of
// client i and returns what is fetched, `feed` returns the value of "x", and
// `check` takes what was fetched.
void RunOnTwoClients(
    InProcessCluster& cluster,
    absl::FunctionRef<std::vector<Output>(GraphBuilder& b, int i)> build,
    absl::FunctionRef<Tensor(int i, int step)> feed,
    absl::FunctionRef<void(int i, int step, const std::vector<Tensor>&)>
        check) {
  std::vector<Thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back("runs", [&, i] {
      GraphBuilder b;
      const std::vector<Output> outputs = build(b, i);
      const auto session = cluster.NewSession(*b.Build(), {"worker", i});
      ASSERT_TRUE(session.ok()) << session.status();
      for (int step = 0; step < 20; ++step) {
        const auto result =
            (*session)->Run({.feeds = {{"x", feed(i, step)}},
                             .fetches = {outputs.begin(), outputs.end()},
                             .options = {.timeout = seconds(600)}});
        ASSERT_TRUE(result.ok())
            << i << ", " << step << ": " << result.status();
        check(i, step, *result);
      }
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(cluster.Leaks(), "");
}

// Returns the negative of `x`, which the device computes.
Output NegOn(GraphBuilder& b, absl::string_view device, const Output& x) {
  const Scope scope = b.OnDevice(device);
  return op::Neg(x);
}
// Returns the sum of `x` over both clients, which worker i computes.
Output SumOn(GraphBuilder& b, int i, const Output& x) {
  const Scope scope = b.OnDevice(absl::StrCat("/job:worker/task:", i));
  return op::CollectiveReduce(x, 2, 1, 1, "Add", "Id", {0});
}
constexpr char kPs0[] = "/job:ps/task:0";
constexpr char kPs1[] = "/job:ps/task:1";

// Returns the placeholder "x" on the device.
Output XOn(GraphBuilder& b, absl::string_view device) {
  const Scope scope = b.OnDevice(device);
  return b.Placeholder<float>("x");
}

// Each client has nodes on the same parameter server.
TEST(SharedStepsTest, SeveralMastersHavePartsOnOneTask) {
  const SimulatedClock clock;
  InProcessCluster cluster{{{"worker", 2}, {"ps", 1}}};
  RunOnTwoClients(
      cluster,
      [](GraphBuilder& b, int i) {
        const Output sum = SumOn(b, i, NegOn(b, kPs0, XOn(b, kPs0)));
        return std::vector<Output>{NegOn(b, kPs0, sum)};
      },
      [](int i, int step) {
        return Tensor::Vector<float>({1.0f * step, 1.0f * i});
      },
      [](int, int step, const std::vector<Tensor>& result) {
        EXPECT_EQ(result[0].DebugString(),
                  Tensor::Vector<float>({2.0f * step, 1}).DebugString());
      });
}

// The graphs of both clients have the same edges between the same devices.
TEST(SharedStepsTest, TheEdgesOfSeveralMastersDoNotMeet) {
  const SimulatedClock clock;
  InProcessCluster cluster{{{"worker", 2}, {"ps", 2}}};
  RunOnTwoClients(
      cluster,
      [](GraphBuilder& b, int i) {
        const Output own = NegOn(b, kPs1, NegOn(b, kPs0, XOn(b, kPs0)));
        return std::vector<Output>{SumOn(b, i, own), own};
      },
      [](int i, int) { return Tensor::Scalar(1.0f + i); },
      [](int i, int, const std::vector<Tensor>& result) {
        EXPECT_EQ(result[0].scalar<float>(), 3);
        EXPECT_EQ(result[1].scalar<float>(), 1.0f + i);
      });
}

TEST_F(ClusterCollectivesTest, NothingIsLeft) {
  ExpectSums();
  for (Worker& worker : workers_) worker = Worker();
  EXPECT_EQ(cluster_.Leaks(), "");
}

}  // namespace
}  // namespace leat::cluster_collectives_test
