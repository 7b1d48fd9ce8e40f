// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/master_watch.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/distributed/worker/worker_fixture.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::master_watch_test {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::Eventually;
using ::leat::testing::RunRequest;
using ::leat::testing::WaitForRun;
using Answer = absl::StatusOr<PeerStatus>;

constexpr std::chrono::minutes kSilence(4);
constexpr char kMaster[] = "/job:m/replica:0/task:0";
constexpr char kOther[] = "/job:m/replica:0/task:1";

class MasterWatchTest : public testing::WorkerTest {
 protected:
  MasterWatchTest() {
    Answers(kOther, [](int) { return Process(5); });
    EXPECT_TRUE(task.CreateSession("other", false, kOther, 5).ok());
    EXPECT_TRUE(task.CreateSession("s", false, kMaster, 1).ok());
  }
  void TearDown() override {
    watch->Stop();
    for (const char* const session : {"other", "s"}) {
      EXPECT_TRUE(task.DeleteSession(session).ok());
    }
    WorkerTest::TearDown();
  }

  // Returns the answer of a process whose device has this incarnation.
  static Answer Process(uint64_t incarnation) {
    return PeerStatus{.devices = {{.incarnation = incarnation}}};
  }
  static Answer Silence(int times = 0) {
    if (times % 2 == 0) return absl::UnavailableError("by the test");
    return absl::InvalidArgumentError("of what listens there now");
  }

  // Sets how the task `master` answers when it is asked. `answer` gets the
  // number of times that the task was asked before.
  void Answers(const std::string& master, std::function<Answer(int)> answer) {
    MutexLock lock(mutex_);
    answers_[master] = std::move(answer);
  }
  int times_asked(const std::string& master) const {
    MutexLock lock(mutex_);
    const auto found = asked_.find(master);
    return found == asked_.end() ? 0 : found->second;
  }
  // Waits until the watch has asked kOther `times` more times.
  void LetItLook(int times) {
    const int before = times_asked(kOther);
    EXPECT_TRUE(
        Eventually([&] { return times_asked(kOther) >= before + times; }));
  }
  bool HasSessions(size_t count) {
    return task.worker().counters().sessions == count;
  }

  mutable Mutex mutex_;
  std::map<std::string, std::function<Answer(int)>> answers_
      ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int> asked_ ABSL_GUARDED_BY(mutex_);
  FakeTaskCaller tasks{
      {},
      [this](const std::string& name, const CallOptions& call) {
        EXPECT_TRUE(call.deadline.has_value());
        MutexLock lock(mutex_);
        const auto answer = answers_.find(name);
        if (answer == answers_.end()) {
          return Answer(absl::NotFoundError("by the test"));
        }
        return answer->second(asked_[name]++);
      },
      clock};
  TimerQueue timers{"test", clock};
  const std::shared_ptr<MasterWatch> watch = std::make_shared<MasterWatch>(
      kSilence, ServerIntervals().ask_masters, task.worker(), tasks, timers,
      task.blocking());
};

TEST_F(MasterWatchTest, AMasterThatDoesNotAnswerLosesItsSessions) {
  Answers(kMaster, [](int times) { return Silence(times); });
  ASSERT_TRUE(cluster[1].CreateSession("s").ok());
  const auto step = Doubles("s");
  watch->Start();
  EXPECT_TRUE(Eventually([this] { return HasSessions(1); }));
  EXPECT_EQ(task.worker().counters().graphs, 0u);
  EXPECT_GT(times_asked(kMaster), 1);
  const absl::Status gone = Run(Request(step)).status;
  EXPECT_EQ(gone.code(), absl::StatusCode::kAborted) << gone;
  LetItLook(5);
  EXPECT_TRUE(HasSessions(1));
  EXPECT_TRUE(cluster[1].DeleteSession("s").ok());
}

TEST_F(MasterWatchTest, AMasterThatWasRestartedLosesItsSessions) {
  Answers(kMaster, [](int times) { return Process(times < 3 ? 1 : 2); });
  watch->Start();
  EXPECT_TRUE(Eventually([this] { return HasSessions(1); }));
  EXPECT_GE(times_asked(kMaster), 4);
}

TEST_F(MasterWatchTest, AMasterThatAnswersNowAndThenKeepsItsSessions) {
  Answers(kMaster,
          [](int times) { return times % 2 == 0 ? Silence() : Process(1); });
  watch->Start();
  LetItLook(20);
  EXPECT_TRUE(HasSessions(2));
}

TEST_F(MasterWatchTest, OthersThanItsPeersKeepTheirSessions) {
  EXPECT_TRUE(task.CreateSession("unnamed", false, "", 3).ok());
  EXPECT_TRUE(task.CreateSession("own", false, task.name(), 4).ok());
  Answers(task.name(), [](int) { return Silence(); });
  watch->Start();
  LetItLook(10);  // kMaster is not in the cluster.
  EXPECT_TRUE(HasSessions(4));
  EXPECT_EQ(times_asked(task.name()), 0);
  EXPECT_TRUE(task.DeleteSession("unnamed").ok());
  EXPECT_TRUE(task.DeleteSession("own").ok());
}

TEST_F(MasterWatchTest, ASessionWithAStepIsNotAskedFor) {
  Answers(kMaster, [](int) { return Silence(); });
  const std::string of_floats =
      OnPs() + Attr("component_types", "list { type: [DT_FLOAT] }");
  const auto graph = task.Register(
      "s", ParseGraph(NodeText("q", "FIFOQueueV2", {}, of_floats) +
                      NodeText("t", "QueueDequeueV2", {"q"}, of_floats)));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const int64_t step_id = RandomStepId();
  const CallRef call =
      task.Start(methods::kRunGraph, RunRequest("s", *graph, step_id));
  EXPECT_TRUE(
      Eventually([this] { return task.worker().counters().running == 1; }));
  // This master also has an idle session.
  EXPECT_TRUE(task.CreateSession("t", false, kMaster, 1).ok());
  watch->Start();
  LetItLook(20);
  EXPECT_EQ(times_asked(kMaster), 0);
  EXPECT_TRUE(HasSessions(3));
  call->Cancel();
  EXPECT_FALSE(WaitForRun(*call).status.ok());
  EXPECT_TRUE(Eventually([this] { return HasSessions(1); }));
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(MasterWatchTest, ASessionThatWasUsedSinceIsNotEnded) {
  EXPECT_TRUE(task.CreateSession("t", false, kMaster, 1).ok());
  Worker& worker = task.worker();
  const MasterProcess master{.task = kMaster, .incarnation = 1};
  worker.EndIdleSessions(master, std::chrono::hours(1), "is over");
  EXPECT_TRUE(HasSessions(3));
  worker.EndIdleSessions(master, std::chrono::nanoseconds(0), "is over");
  EXPECT_TRUE(HasSessions(1));
  EXPECT_TRUE(task.DeleteSession("t").ok());
}

TEST_F(MasterWatchTest, AsksNobodyAfterStop) {
  watch->Start();
  LetItLook(1);
  watch->Stop();
  const int before = times_asked(kOther);
  clock.Advance(2 * kSilence);
  EXPECT_EQ(times_asked(kOther), before);
}

}  // namespace
}  // namespace leat::master_watch_test
