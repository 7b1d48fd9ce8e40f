// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests RecoverableSession on clusters in this process, whose tasks are killed
// and restarted while other workers train.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"
#include "leat/tests/train/sync_models.h"
#include "leat/train/dataset.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"

namespace leat::recoverable_cluster_test {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using testing::BuildSyncModel;
using testing::EmbeddingBatch;
using testing::EmbeddingLoss;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using testing::LinearBatch;
using testing::LinearLoss;
using ::testing::Not;
using testing::SimulatedClock;
using testing::SyncModel;

constexpr std::chrono::seconds kTimeout(60);
using Made = absl::StatusOr<std::unique_ptr<RecoverableSession>>;
using testing::TestClock;

// Describes a worker's copy of a model that is trained asynchronously. The
// first server also has a queue: `put` enqueues an element, and `num_left` is
// the queue's size.
struct AsyncModel {
  std::optional<Graph> graph;
  std::string loss, global_step, train, uninitialized, put, num_left;
};

AsyncModel BuildAsyncModel(const std::string& worker_device, int ps_tasks) {
  GraphBuilder b;
  AsyncModel model;
  {
    const Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
        {.ps_tasks = ps_tasks, .worker_device = worker_device}));
    const Variable step = nn::GlobalStep(b);
    const Output loss = LinearLoss(b);
    model.train = nn::Adam({.learning_rate = 0.01})
                      .Minimize(loss, {.global_step = step})
                      .name();
    model.loss = loss.name();
    model.global_step = step.value().name();
    model.uninitialized = UninitializedVariables(b).name();
    const Scope first = b.OnDevice("/job:ps/task:0");
    const Output queue =
        op::FIFOQueueV2(b, {DType::kFloat}, {.shared_name = "left"});
    const Output element[] = {b.Const(1.0f)};
    model.put = op::QueueEnqueueV2(queue, element).name();
    model.num_left = op::QueueSizeV2(queue).name();
  }
  absl::StatusOr<Graph> graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (graph.ok()) model.graph = *std::move(graph);
  return model;
}

TaskId Worker(int i) { return {.job = "worker", .index = i}; }
TaskId Ps(int i) { return {.job = "ps", .index = i}; }
std::string DeviceOf(const TaskId& task) {
  return absl::StrCat("/job:", task.job, "/task:", task.index);
}

// Returns options for a worker's sessions on the cluster, as ClusterTask sets
// them.
RecoverableSessionOptions OptionsOf(InProcessCluster& cluster,
                                    const TaskId& worker) {
  const std::vector<std::string> filters = {"/job:ps", DeviceOf(worker)};
  RecoverableSessionOptions options;
  options.is_chief = worker.index == 0;
  options.clock = &TestClock();
  options.give_up = kTimeout;
  options.first_pause = milliseconds(5);
  options.longest_pause = milliseconds(50);
  options.first_poll = milliseconds(5);
  options.longest_poll = milliseconds(20);
  options.check_every = milliseconds(100);
  options.session.connect_timeout = milliseconds(500);
  options.new_session = [&cluster, worker, filters](
                            const Graph& graph, const SessionOptions& session) {
    return cluster.NewSession(graph, worker,
                              {.device_filters = filters,
                               .connect_timeout = session.connect_timeout,
                               .cancellation = session.cancellation});
  };
  options.reset = [&cluster, worker, filters](const SessionOptions& session) {
    return ResetTasks(cluster.Target(worker),
                      {.device_filters = filters,
                       .connect_timeout = session.connect_timeout,
                       .cancellation = session.cancellation,
                       .transports = &cluster.transports()});
  };
  return options;
}

RecoverableSessionOptions OptionsOf(InProcessCluster& cluster,
                                    const TaskId& worker,
                                    const AsyncModel& model) {
  RecoverableSessionOptions options = OptionsOf(cluster, worker);
  options.init = model.graph->init_op();
  options.uninitialized = model.uninitialized;
  return options;
}

RecoverableSessionOptions OptionsOf(InProcessCluster& cluster,
                                    const TaskId& worker,
                                    const SyncModel& model) {
  RecoverableSessionOptions options = OptionsOf(cluster, worker);
  options.init = model.graph->init_op();
  options.uninitialized = model.uninitialized;
  options.local_init = options.is_chief ? model.chief_init : model.worker_init;
  if (options.is_chief) options.loop = model.chief_step;
  return options;
}

RunArgs StepOf(const AsyncModel& model, int step) {
  return {.feeds = LinearBatch(0, step),
          .fetches = {model.loss},
          .targets = {model.train},
          .options = {.timeout = kTimeout}};
}

int64_t GlobalStep(RecoverableSession& session, const std::string& name) {
  auto fetched =
      session.Run({.fetches = {name}, .options = {.timeout = kTimeout}});
  EXPECT_TRUE(fetched.ok()) << fetched.status();
  return fetched.ok() ? (*fetched)[0].scalar<int64_t>() : -1;
}

// ---- Tasks that are lost ----

TEST(RecoverableClusterTest, OthersBeginWhenTheChiefHasInitialized) {
  SimulatedClock clock;
  InProcessCluster cluster({{"ps", 1}, {"worker", 2}});
  const AsyncModel other = BuildAsyncModel(DeviceOf(Worker(1)), 1);
  const AsyncModel chief = BuildAsyncModel(DeviceOf(Worker(0)), 1);
  std::atomic<bool> chief_began = false;
  Thread waits("waits", [&] {
    Made session = RecoverableSession::Create(
        *other.graph, OptionsOf(cluster, Worker(1), other));
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE(chief_began);
    EXPECT_TRUE((*session)->Run(StepOf(other, 0)).ok());
  });
  TestClock().Sleep(milliseconds(100));
  chief_began = true;
  Made session = RecoverableSession::Create(
      *chief.graph, OptionsOf(cluster, Worker(0), chief));
  ASSERT_TRUE(session.ok()) << session.status();
  waits.Join();
  EXPECT_EQ(GlobalStep(**session, chief.global_step), 1);
}

TEST(RecoverableClusterTest, WaitsForTasksThatAreNotThereYet) {
  SimulatedClock clock;
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  cluster.Kill(Ps(0));
  const AsyncModel model = BuildAsyncModel(DeviceOf(Worker(0)), 1);
  RecoverableSessionOptions options = OptionsOf(cluster, Worker(0), model);
  options.session.connect_timeout = milliseconds(100);
  Thread waits("waits", [&] {
    Made session = RecoverableSession::Create(*model.graph, options);
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ(GlobalStep(**session, model.global_step), 0);
  });
  TestClock().Sleep(milliseconds(400));
  cluster.Start(Ps(0));
  waits.Join();
}

TEST(RecoverableClusterTest, ARestartedWorkerGoesOnWithTheVariables) {
  SimulatedClock clock;
  InProcessCluster cluster({{"ps", 1}, {"worker", 2}});
  const AsyncModel model = BuildAsyncModel(DeviceOf(Worker(0)), 1);
  Made session = RecoverableSession::Create(
      *model.graph, OptionsOf(cluster, Worker(0), model));
  ASSERT_TRUE(session.ok()) << session.status();
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE((*session)->Run(StepOf(model, step)).ok());
  }
  cluster.Restart(Worker(0));
  const absl::Status lost = (*session)->Run(StepOf(model, 3)).status();
  EXPECT_TRUE(IsRecoverable(lost)) << lost;
  ASSERT_TRUE((*session)->Run(StepOf(model, 3)).ok());
  EXPECT_EQ(GlobalStep(**session, model.global_step), 4);
  EXPECT_EQ((*session)->num_sessions(), 2);
}

TEST(RecoverableClusterTest, AnIteratorBeginsAnewInEachSession) {
  SimulatedClock clock;
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  GraphBuilder b;
  const Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
      {.ps_tasks = 1, .worker_device = DeviceOf(Worker(0))}));
  const Variable step = nn::GlobalStep(b);
  const auto iterator = Dataset::Range(0, 10).Prefetch(2).AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const Output sum = iterator->next[0] + step.value();
  const Output uninitialized = UninitializedVariables(b);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  RecoverableSessionOptions options = OptionsOf(cluster, Worker(0));
  options.init = graph->init_op();
  options.uninitialized = uninitialized.name();
  options.local_init = iterator->initializer.name();
  options.reinitialize = true;
  Made session = RecoverableSession::Create(*graph, options);
  ASSERT_TRUE(session.ok()) << session.status();
  const RunArgs take{.fetches = {sum}, .options = {.timeout = kTimeout}};
  for (int round = 0; round < 2; ++round) {
    for (int64_t expected = 0; expected < 3; ++expected) {
      const auto out = (*session)->Run(take);
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int64_t>(), expected);
    }
    cluster.Restart(Ps(0));
    const absl::Status lost = (*session)->Run(take).status();
    EXPECT_TRUE(IsRecoverable(lost)) << lost;
  }
}

TEST(RecoverableClusterTest, ALostParameterServerIsNamedAndSoAreItsVariables) {
  SimulatedClock clock;
  InProcessCluster cluster({{"ps", 2}, {"worker", 1}});
  const AsyncModel model = BuildAsyncModel(DeviceOf(Worker(0)), 2);
  Made session = RecoverableSession::Create(
      *model.graph, OptionsOf(cluster, Worker(0), model));
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run(StepOf(model, 0)).ok());
  cluster.Kill(Ps(1));
  const absl::Status lost = (*session)->Run(StepOf(model, 1)).status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kUnavailable) << lost;
  EXPECT_THAT(lost.message(), HasSubstr("/job:ps/replica:0/task:1"));
  cluster.Start(Ps(1));
  const absl::Status without = (*session)->Run(StepOf(model, 1)).status();
  EXPECT_EQ(without.code(), absl::StatusCode::kFailedPrecondition) << without;
  // The global step was made first, so it is on the first server. The restarted
  // server is the second one, which has w.
  EXPECT_THAT(without.message(),
              AllOf(HasSubstr("no longer: "), HasSubstr("'w'")));
}

TEST(RecoverableClusterTest, GivesUpAParameterServerThatDoesNotComeAgain) {
  SimulatedClock clock;
  InProcessCluster cluster({{"ps", 2}, {"worker", 1}});
  const AsyncModel model = BuildAsyncModel(DeviceOf(Worker(0)), 2);
  RecoverableSessionOptions options = OptionsOf(cluster, Worker(0), model);
  options.give_up = std::chrono::seconds(8);
  options.session.connect_timeout = std::chrono::seconds(2);
  Made session = RecoverableSession::Create(*model.graph, options);
  ASSERT_TRUE(session.ok()) << session.status();
  cluster.Kill(Ps(1));
  EXPECT_FALSE((*session)->Run(StepOf(model, 1)).ok());
  const Clock::time_point begin = clock.Now();
  const absl::Status status = (*session)->Run(StepOf(model, 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(status.message(), HasSubstr("gave up after"));
  // The session gives up when the next pause would end after `give_up`.
  EXPECT_LE(clock.Now() - begin, options.give_up);
  EXPECT_GE(clock.Now() - begin, options.give_up - options.longest_pause);
}

// One of two servers is lost, while the variables on the other one remain.
class LostServerTest : public ::testing::Test {
 protected:
  Made Begin(bool reinitialize) {
    RecoverableSessionOptions options = OptionsOf(cluster_, Worker(0), model_);
    options.reinitialize = reinitialize;
    options.session.connect_timeout = connect_timeout_;
    return RecoverableSession::Create(*model_.graph, options);
  }
  std::unique_ptr<RecoverableSession> MustBegin(bool reinitialize) {
    Made made = Begin(reinitialize);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *std::move(made) : nullptr;
  }
  // Runs the first steps and enqueues an element on the first server. Returns
  // the losses.
  std::vector<float> TrainAndPut(RecoverableSession& session) {
    std::vector<float> losses;
    for (int step = 0; step < 3; ++step) {
      auto out = session.Run(StepOf(model_, step));
      EXPECT_TRUE(out.ok()) << out.status();
      if (out.ok()) losses.push_back((*out)[0].scalar<float>());
    }
    EXPECT_TRUE(session.Run({.targets = {model_.put}}).ok());
    return losses;
  }
  int NumLeft(RecoverableSession& session) {
    auto fetched = session.Run({.fetches = {model_.num_left}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? (*fetched)[0].scalar<int32_t>() : -1;
  }

  SimulatedClock clock_;
  InProcessCluster cluster_{{{"ps", 2}, {"worker", 1}}};
  const AsyncModel model_ = BuildAsyncModel(DeviceOf(Worker(0)), 2);
  milliseconds connect_timeout_{500};
};

// The restarted chief is another process, so it does not know which variables
// existed before.
TEST_F(LostServerTest, ARestartedChiefNamesWhatIsLost) {
  auto session = MustBegin(false);
  TrainAndPut(*session);
  session = nullptr;
  cluster_.Restart(Ps(1));
  cluster_.Restart(Worker(0));
  const absl::Status status = Begin(false).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(status.message(), AllOf(HasSubstr("'w'"), Not(HasSubstr("'c'")),
                                      Not(HasSubstr("'global_step'"))));
}

TEST_F(LostServerTest, ARestartedChiefClearsTheOthersAndBeginsAnew) {
  auto session = MustBegin(true);
  const std::vector<float> losses = TrainAndPut(*session);
  session = nullptr;
  cluster_.Restart(Ps(1));
  cluster_.Restart(Worker(0));
  session = MustBegin(true);
  EXPECT_EQ(GlobalStep(*session, model_.global_step), 0);
  EXPECT_EQ(NumLeft(*session), 0);
  EXPECT_EQ(TrainAndPut(*session), losses);
}

TEST_F(LostServerTest, ARestartedChiefGoesOnWhenNothingIsLost) {
  auto session = MustBegin(true);
  TrainAndPut(*session);
  session = nullptr;
  cluster_.Restart(Worker(0));
  session = MustBegin(true);
  EXPECT_EQ(GlobalStep(*session, model_.global_step), 3);
  EXPECT_EQ(NumLeft(*session), 1);
}

TEST_F(LostServerTest, TheChiefClearsTheOthersAndBeginsAnew) {
  auto session = MustBegin(true);
  const std::vector<float> losses = TrainAndPut(*session);
  cluster_.Restart(Ps(1));
  const absl::Status lost = session->Run(StepOf(model_, 3)).status();
  EXPECT_TRUE(IsRecoverable(lost)) << lost;
  EXPECT_EQ(GlobalStep(*session, model_.global_step), 0);
  EXPECT_EQ(NumLeft(*session), 0);
  EXPECT_EQ(TrainAndPut(*session), losses);
}

TEST_F(LostServerTest, CloseDoesNotWaitUntilItIsThereAgain) {
  connect_timeout_ = std::chrono::hours(1);
  auto session = MustBegin(false);
  cluster_.Kill(Ps(1));
  EXPECT_FALSE(session->Run(StepOf(model_, 0)).ok());
  Thread waits("waits", [&] {
    const absl::Status status = session->Run(StepOf(model_, 0)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  });
  clock_.Sleep(milliseconds(100));
  const Clock::time_point begin = clock_.Now();
  EXPECT_TRUE(session->Close().ok());
  waits.Join();
  EXPECT_EQ(clock_.Now(), begin);
  EXPECT_EQ(cluster_.Leaks(), "");
}

// ---- Synchronous training ----

// Trains until the global step is `end`. After a recoverable error, the
// training continues with the next batch.
void TrainUntil(RecoverableSession& session, const SyncModel& model, int worker,
                int64_t end) {
  int64_t step = 0;
  for (int i = 0; step < end; ++i) {
    auto out = session.Run({.feeds = EmbeddingBatch(worker, i),
                            .fetches = {model.global_step},
                            .targets = {model.train},
                            .options = {.timeout = kTimeout}});
    if (out.ok()) {
      step = (*out)[0].scalar<int64_t>();
    } else if (!IsRecoverable(out.status()) &&
               !absl::IsOutOfRange(out.status())) {
      ADD_FAILURE() << "worker " << worker << ", step " << i << ": "
                    << out.status();
      return;
    }
    if (absl::IsOutOfRange(out.status())) return;
  }
}

class SyncClusterTest : public ::testing::Test {
 protected:
  static constexpr int kWorkers = 2;

  SyncClusterTest() {
    for (int i = 0; i < kWorkers; ++i) {
      models_.push_back(
          BuildSyncModel(nn::Adagrad({.learning_rate = 0.1}),
                         {.loss = EmbeddingLoss,
                          .worker_device = DeviceOf(Worker(i)),
                          .ps_tasks = 2,
                          .attrs = {.replicas_to_aggregate = kWorkers}}));
    }
  }

  // Starts worker 1 first, which then waits for the chief (worker 0).
  void Create(bool reinitialize) {
    Thread other("other", [&] { sessions_[1] = CreateOne(1, reinitialize); });
    sessions_[0] = CreateOne(0, reinitialize);
    other.Join();
    ASSERT_TRUE(sessions_[0] != nullptr && sessions_[1] != nullptr);
  }
  std::unique_ptr<RecoverableSession> CreateOne(int i, bool reinitialize) {
    RecoverableSessionOptions options =
        OptionsOf(cluster_, Worker(i), models_[i]);
    options.reinitialize = reinitialize;
    Made made = RecoverableSession::Create(*models_[i].graph, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *std::move(made) : nullptr;
  }
  Thread Train(int i, int64_t end) {
    return Thread("trains", [this, i, end] {
      TrainUntil(*sessions_[i], models_[i], i, end);
    });
  }
  // Ends the training, as the chief in a program would.
  void Finish() {
    EXPECT_TRUE(sessions_[0]
                    ->Run({.targets = {models_[0].finish},
                           .options = {.timeout = kTimeout}})
                    .ok());
  }
  // Returns whether the other worker sees the end of training.
  bool IsFinished() {
    auto fetched = sessions_[1]->Run({.fetches = {models_[1].finished}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() && (*fetched)[0].scalar<bool>();
  }
  void WaitForStep(int64_t step) {
    while (GlobalStep(*sessions_[0], models_[0].global_step) < step) {
      LetTimePass();
    }
  }
  // Simulated time passes by itself only while all threads wait. The threads of
  // workers that train never all wait at once, so this function advances the
  // clock.
  void LetTimePass() {
    clock_.Jump(milliseconds(1));
    std::this_thread::yield();
  }

  SimulatedClock clock_;
  InProcessCluster cluster_{{{"ps", 2}, {"worker", kWorkers}}};
  std::vector<SyncModel> models_;
  std::unique_ptr<RecoverableSession> sessions_[kWorkers];
};

TEST_F(SyncClusterTest, TheChiefsLoopTrainsAndFinishEndsTheOthers) {
  Create(false);
  // Worker 1 trains until the chief calls Finish.
  Thread other = Train(1, 1'000'000);
  Train(0, 20).Join();
  Finish();
  other.Join();
  EXPECT_GE(GlobalStep(*sessions_[0], models_[0].global_step), 20);
  sessions_[0] = nullptr;
  sessions_[1] = nullptr;
  EXPECT_EQ(cluster_.Leaks(), "");
}

TEST_F(SyncClusterTest, ARestartedWorkerTrainsOn) {
  Create(false);
  Thread chief = Train(0, 30);
  Thread other = Train(1, 1'000'000);
  WaitForStep(5);
  cluster_.Restart(Worker(1));
  chief.Join();
  Finish();
  other.Join();
  EXPECT_GE(sessions_[1]->num_sessions(), 2);
  EXPECT_EQ(sessions_[0]->num_sessions(), 1);
}

TEST_F(SyncClusterTest, ARestartedChiefTrainsOn) {
  Create(false);
  Thread other = Train(1, 1'000'000);
  Train(0, 5).Join();
  cluster_.Restart(Worker(0));
  Train(0, 30).Join();
  Finish();
  other.Join();
  EXPECT_GE(sessions_[0]->num_sessions(), 2);
}

TEST_F(SyncClusterTest, AChiefThatIsRestartedAfterTheEndEnds) {
  Create(false);
  Thread other = Train(1, 1'000'000);
  Train(0, 10).Join();
  Finish();
  other.Join();
  sessions_[0] = nullptr;
  cluster_.Restart(Worker(0));
  sessions_[0] = CreateOne(0, false);
  ASSERT_NE(sessions_[0], nullptr);
  EXPECT_GE(GlobalStep(*sessions_[0], models_[0].global_step), 10);
  Finish();
  // Worker 1 begins to train after the chief has ended the training. The
  // worker's training ends, too.
  Train(1, 1'000'000).Join();
}

// The servers keep running, but the worker programs start again.
TEST_F(SyncClusterTest, ASecondRunTrainsOn) {
  Create(false);
  Thread other = Train(1, 1'000'000);
  Train(0, 10).Join();
  Finish();
  other.Join();
  for (int i = 0; i < kWorkers; ++i) {
    sessions_[i] = nullptr;
    cluster_.Restart(Worker(i));
  }
  sessions_[1] = CreateOne(1, false);
  ASSERT_NE(sessions_[1], nullptr);
  EXPECT_TRUE(IsFinished());
  sessions_[0] = CreateOne(0, false);
  ASSERT_NE(sessions_[0], nullptr);
  EXPECT_FALSE(IsFinished());
  EXPECT_TRUE(sessions_[1]->Run({.targets = {models_[1].worker_init}}).ok());
  const int64_t begin = GlobalStep(*sessions_[0], models_[0].global_step);
  EXPECT_GE(begin, 10);
  other = Train(1, 1'000'000);
  Train(0, begin + 10).Join();
  Finish();
  other.Join();
}

// A worker waits for a token. The queue of tokens is on one server, and the
// other server is lost.
TEST_F(SyncClusterTest, ALostParameterServerEndsAWorkerThatWaits) {
  Create(false);
  Thread other("other", [&] {
    absl::Status status;
    for (int i = 0; status.ok(); ++i) {
      status = sessions_[1]
                   ->Run({.feeds = EmbeddingBatch(1, i),
                          .targets = {models_[1].train},
                          .options = {.timeout = kTimeout}})
                   .status();
    }
    EXPECT_TRUE(IsRecoverable(status)) << status;
  });
  // During this sleep, the worker applies its gradient. Then it waits for a
  // token, which cannot come before the chief has applied a gradient, too.
  TestClock().Sleep(milliseconds(200));
  const Clock::time_point begin = clock_.Now();
  cluster_.Restart(Ps(1));
  other.Join();
  EXPECT_LT(clock_.Now() - begin, kTimeout / 2);
  const absl::Status next =
      sessions_[1]->Run({.fetches = {models_[1].global_step}}).status();
  EXPECT_EQ(next.code(), absl::StatusCode::kFailedPrecondition) << next;
}

// After the loss of one server, the global step begins at 0 again. The
// accumulators on the other server are still at a later step.
TEST_F(SyncClusterTest, ALostParameterServerIsInitializedAgain) {
  Create(true);
  Thread chief = Train(0, 1'000'000);
  Thread other = Train(1, 1'000'000);
  WaitForStep(20);
  cluster_.Restart(Ps(1));
  while (sessions_[0]->num_sessions() < 2 || sessions_[1]->num_sessions() < 2) {
    // This step fails if the session is lost while the step runs.
    sessions_[0]
        ->Run({.fetches = {models_[0].global_step},
               .options = {.timeout = kTimeout}})
        .IgnoreError();
    LetTimePass();
  }
  WaitForStep(20);
  Finish();
  chief.Join();
  other.Join();
}

}  // namespace
}  // namespace leat::recoverable_cluster_test
