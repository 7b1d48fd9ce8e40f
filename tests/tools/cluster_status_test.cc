// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which tasks ClusterStatus asks, and what it reports about tasks that do
// not answer. All tasks run in this process.
#include "leat/tools/cluster_status.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/server/server.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::cluster_status_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPsName[] = "/job:ps/replica:0/task:0";

class ClusterStatusTest : public ::testing::Test {
 protected:
  std::unique_ptr<Server> Serve(const TaskId& task) const {
    ServerOptions options;
    options.config = {.cluster = cluster_, .task = task};
    options.devices.num_threads = 1;
    options.version = "1.2";
    options.transport = "in-process";
    options.transports = &network_->transports();
    auto server = Server::Start(std::move(options));
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }
  ClusterStatus Status(const std::string& address = "127.0.0.1:1",
                       ClusterStatusOptions options = {
                           .timeout = std::chrono::seconds(20)}) const {
    return ClusterStatus(*transport_, address, options);
  }
  static std::vector<std::string> Tasks(const ClusterReading& reading) {
    std::vector<std::string> tasks;
    for (const TaskReading& task : reading.tasks) tasks.push_back(task.task);
    return tasks;
  }

  const ClusterSpec cluster_ = *ClusterSpec::Create(
      {{"ps", {{0, "127.0.0.1:1"}}},
       {"worker",
        {{2, "127.0.0.1:2"}, {10, "127.0.0.1:10"}, {11, "127.0.0.1:0"}}}});
  testing::SimulatedClock clock_;
  const std::shared_ptr<testing::InProcessNetwork> network_ =
      std::make_shared<testing::InProcessNetwork>(2, clock_);
  const std::unique_ptr<Transport> transport_ =
      *network_->transports().Create("in-process");
};

TEST_F(ClusterStatusTest, AsksEveryTaskOfTheCluster) {
  const auto ps = Serve({"ps", 0});
  const auto worker = Serve({"worker", 2});
  // TensorFlow's tasks do not have the method kTaskStatus.
  MethodTable methods;
  methods.Add(methods::kGetStatus,
              [](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                pb::GetStatusResponse status;
                pb::DeviceAttributes& device = *status.add_device_attributes();
                device.set_name("/job:worker/replica:0/task:10/device:CPU:0");
                device.set_incarnation(7);
                std::move(reply)(Payload{.header = status.SerializeAsString()});
              });
  const auto tensorflow = transport_->Listen("127.0.0.1:10", methods);
  ASSERT_TRUE(tensorflow.ok());
  const auto reading = Status().Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(Tasks(*reading),
              ElementsAre(kPsName, "/job:worker/replica:0/task:2",
                          "/job:worker/replica:0/task:10",
                          "/job:worker/replica:0/task:11"));
  EXPECT_EQ(reading->num_unreachable(), 1u);
  for (const size_t i : {0, 1}) {
    EXPECT_TRUE(reading->tasks[i].is_leat);
    EXPECT_EQ(reading->tasks[i].report.version(), "1.2");
    EXPECT_EQ(reading->tasks[i].report.devices_size(), 1);
  }
  const TaskReading& foreign = reading->tasks[2];
  EXPECT_TRUE(foreign.status.ok()) << foreign.status;
  EXPECT_FALSE(foreign.is_leat);
  EXPECT_EQ(foreign.address, "127.0.0.1:10");
  ASSERT_EQ(foreign.report.devices_size(), 1);
  EXPECT_EQ(foreign.report.devices(0).incarnation(), 7u);
  const TaskReading& unknown = reading->tasks[3];
  EXPECT_EQ(unknown.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(unknown.status.message()), HasSubstr("which port"));
  // TensorFlow's tasks do not report the other tasks of their cluster.
  const auto alone = Status("127.0.0.1:10").Read();
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_THAT(Tasks(*alone), ElementsAre("/job:worker/replica:0/task:10"));
}

TEST_F(ClusterStatusTest, FailsWhenNobodyIsThere) {
  const auto reading = Status().Read();
  EXPECT_EQ(reading.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(
      std::string(reading.status().message()),
      HasSubstr("there is no status of 127.0.0.1:1: it cannot be reached: "));
}

TEST_F(ClusterStatusTest, GoesOnWithTheTasksThatItKnows) {
  auto ps = Serve({"ps", 0});
  const auto worker = Serve({"worker", 2});
  ClusterStatus status = Status();
  ASSERT_TRUE(status.Read().ok());
  ps.reset();
  const auto reading = status.Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  ASSERT_EQ(reading->tasks.size(), 4u);
  EXPECT_EQ(reading->tasks[0].task, kPsName);
  EXPECT_EQ(reading->tasks[0].status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(reading->tasks[1].status.ok());
}

TEST_F(ClusterStatusTest, WaitsNoLongerThanItIsTold) {
  const auto ps = Serve({"ps", 0});
  // These tasks accept calls but do not answer them.
  std::vector<Reply> held;
  Mutex mutex;
  MethodTable methods;
  methods.Add(methods::kTaskStatus,
              [&](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                MutexLock lock(mutex);
                held.push_back(std::move(reply));
              });
  auto silent = transport_->Listen("127.0.0.1:2", methods);
  ASSERT_TRUE(silent.ok());
  // The listener waits for these replies when it ends.
  const absl::Cleanup release = [&] {
    MutexLock lock(mutex);
    for (Reply& reply : held) std::move(reply)(absl::UnavailableError("late"));
  };
  const Clock::time_point start = clock_.Now();
  const auto reading =
      Status("127.0.0.1:1", {.timeout = std::chrono::seconds(5)}).Read();
  const Clock::duration took = clock_.Now() - start;
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->tasks[1].status.code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(reading->tasks[1].task, "/job:worker/replica:0/task:2");
  EXPECT_EQ(took, std::chrono::seconds(5));
}

TEST_F(ClusterStatusTest, SaysWhenAnotherTaskIsAtAnAddress) {
  const auto ps = Serve({"ps", 0});
  ServerOptions options;
  options.config = {
      .cluster = *ClusterSpec::Create({{"worker", {{3, "127.0.0.1:2"}}}}),
      .task = {"worker", 3}};
  options.transport = "in-process";
  options.transports = &network_->transports();
  const auto other = Server::Start(std::move(options));
  ASSERT_TRUE(other.ok()) << other.status();
  const auto reading = Status().Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->tasks[1].status,
            absl::FailedPreconditionError(
                "/job:worker/replica:0/task:3 answers at 127.0.0.1:2, which "
                "the cluster says is /job:worker/replica:0/task:2; correct the "
                "address of one of them"));
}

TEST_F(ClusterStatusTest, AsksSoManyAndCountsTheRest) {
  const auto ps = Serve({"ps", 0});
  const auto reading =
      Status("127.0.0.1:1",
             {.timeout = std::chrono::seconds(20), .max_tasks = 2})
          .Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->tasks.size(), 2u);
  EXPECT_EQ(reading->num_unasked, 2u);
}

TEST_F(ClusterStatusTest, RefusesAnswersThatMakeNoSense) {
  MethodTable methods;
  methods.Add(methods::kTaskStatus,
              [](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                std::move(reply)(Payload{.header = "\xff\xff"});
              });
  const auto strange = transport_->Listen("127.0.0.1:1", methods);
  ASSERT_TRUE(strange.ok());
  EXPECT_EQ(
      Status().Read().status().message(),
      "there is no status of 127.0.0.1:1: the server there is not a task, or "
      "a task of an unknown version");
}

TEST(ClusterStatusNoticesTest, NameTheTasksThatHaveNotAnswered) {
  testing::SimulatedClock clock;
  TimerQueue timers("test", clock);
  testing::FakeTransport transport(nullptr, clock);
  pb::TaskStatusResponse status;
  for (const char* address : {"b:1", "c:1", "d:1", "e:1", "f:1"}) {
    pb::PeerTrafficStatus& peer = *status.add_peers();
    peer.set_address(address);
    peer.set_task(
        absl::StrCat("/job:worker/replica:0/task:", status.peers_size()));
    // c:1 answers after the first notice, and the others after the last one.
    const auto time = std::chrono::seconds(peer.address() == "c:1" ? 5 : 40);
    transport.Serve(
        address, [&timers, time](const std::shared_ptr<CallContext>&, Payload,
                                 Reply reply) {
          timers.After(time, [reply = std::move(reply)]() mutable {
            std::move(reply)(absl::UnavailableError("late"));
          });
        });
  }
  transport.Serve("a:1", [&status](const std::shared_ptr<CallContext>&, Payload,
                                   Reply reply) {
    std::move(reply)(Payload{.header = status.SerializeAsString()});
  });
  std::vector<std::string> notices;
  const auto reading =
      ClusterStatus(transport, "a:1",
                    {.on_waiting =
                         [&notices](absl::string_view message) {
                           notices.emplace_back(message);
                         }})
          .Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->num_unreachable(), 5u);
  EXPECT_THAT(
      notices,
      ElementsAre(
          "this command is waiting for the status of b:1, c:1, d:1 and 2 more; "
          "each task has 2s to answer (--timeout)",
          HasSubstr("the status of b:1, d:1, e:1 and 1 more; each task"),
          HasSubstr("the status of b:1, d:1, e:1 and 1 more; each task")));
}

}  // namespace
}  // namespace leat::cluster_status_test
