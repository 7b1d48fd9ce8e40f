// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecoverableSession over clusters in this process: tasks are killed and come
// again while others train.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/train/sync_models.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"

namespace leat {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using testing::BuildSyncModel;
using ::testing::ElementsAre;
using testing::EmbeddingBatch;
using testing::EmbeddingLoss;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using testing::LinearBatch;
using testing::LinearLoss;
using testing::SyncModel;

constexpr std::chrono::seconds kTimeout(60);
using Made = absl::StatusOr<std::unique_ptr<RecoverableSession>>;

// A worker's copy of a model that is trained asynchronously.
struct AsyncModel {
  std::optional<Graph> graph;
  std::string loss, global_step, train, uninitialized;
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

// Sessions of a worker on the cluster, as ClusterTask has them.
RecoverableSessionOptions OptionsOf(InProcessCluster& cluster,
                                    const TaskId& worker) {
  const std::vector<std::string> filters = {"/job:ps", DeviceOf(worker)};
  RecoverableSessionOptions options;
  options.is_chief = worker.index == 0;
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
                               .connect_timeout = session.connect_timeout});
  };
  options.reset = [&cluster, worker, filters](const SessionOptions&) {
    return ResetTasks(cluster.Target(worker), {.device_filters = filters,
                                               .network = cluster.network()});
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

// ---- Readiness ----

TEST(ReadinessTest, NamesWhatIsNotInitialized) {
  InProcessCluster cluster({{"ps", 2}, {"worker", 1}});
  for (const bool resource : {true, false}) {
    GraphBuilder b;
    std::vector<Operation> initializers;
    for (int i = 0; i < 4; ++i) {
      const Scope device = b.OnDevice(DeviceOf(Ps(i % 2)));
      initializers.push_back(b.Variable(absl::StrCat(resource ? "v" : "r", i),
                                        b.Const(1.0f),
                                        {.use_resource = resource})
                                 .initializer());
    }
    const Scope device = b.OnDevice("/job:worker/task:0");
    const Output missing = UninitializedVariables(b);
    auto session = cluster.NewSession(*b.Build(), Worker(0));
    ASSERT_TRUE(session.ok()) << session.status();
    const auto look = [&] {
      auto fetched = (*session)->Run({.fetches = {missing}});
      EXPECT_TRUE(fetched.ok()) << fetched.status();
      std::vector<std::string> names;
      for (const std::string& name : (*fetched)[0].data<std::string>()) {
        names.push_back(name.substr(1));
      }
      return names;
    };
    EXPECT_THAT(look(), ElementsAre("0", "2", "1", "3"));
    for (const int i : {2, 1}) {
      EXPECT_TRUE((*session)->Run({.targets = {initializers[i]}}).ok());
    }
    EXPECT_THAT(look(), ElementsAre("0", "3"));
    for (const int i : {0, 3}) {
      EXPECT_TRUE((*session)->Run({.targets = {initializers[i]}}).ok());
    }
    EXPECT_THAT(look(), ElementsAre());
  }
}

TEST(ReadinessTest, NothingIsMissingWithoutVariables) {
  GraphBuilder b;
  const Output missing = UninitializedVariables(b);
  auto session = NewSession(*b.Build());
  ASSERT_TRUE(session.ok()) << session.status();
  auto fetched = (*session)->Run({.fetches = {missing}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ((*fetched)[0].num_elements(), 0);
}

// ---- Tasks that are lost ----

TEST(RecoverableClusterTest, OthersBeginWhenTheChiefHasInitialized) {
  InProcessCluster cluster({{"ps", 1}, {"worker", 2}});
  const AsyncModel other = BuildAsyncModel(DeviceOf(Worker(1)), 1);
  const AsyncModel chief = BuildAsyncModel(DeviceOf(Worker(0)), 1);
  std::atomic<bool> chief_began = false;
  std::thread waits([&] {
    Made session = RecoverableSession::Create(
        *other.graph, OptionsOf(cluster, Worker(1), other));
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE(chief_began);
    EXPECT_TRUE((*session)->Run(StepOf(other, 0)).ok());
  });
  std::this_thread::sleep_for(milliseconds(100));
  chief_began = true;
  Made session = RecoverableSession::Create(
      *chief.graph, OptionsOf(cluster, Worker(0), chief));
  ASSERT_TRUE(session.ok()) << session.status();
  waits.join();
  EXPECT_EQ(GlobalStep(**session, chief.global_step), 1);
}

TEST(RecoverableClusterTest, WaitsForTasksThatAreNotThereYet) {
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  cluster.Kill(Ps(0));
  const AsyncModel model = BuildAsyncModel(DeviceOf(Worker(0)), 1);
  RecoverableSessionOptions options = OptionsOf(cluster, Worker(0), model);
  options.session.connect_timeout = milliseconds(20);
  std::thread waits([&] {
    Made session = RecoverableSession::Create(*model.graph, options);
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ(GlobalStep(**session, model.global_step), 0);
  });
  std::this_thread::sleep_for(milliseconds(200));
  cluster.Start(Ps(0));
  waits.join();
}

TEST(RecoverableClusterTest, ARestartedWorkerGoesOnWithTheVariables) {
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

TEST(RecoverableClusterTest, ALostParameterServerIsNamedAndSoAreItsVariables) {
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
  // w went to the second server, after the global step on the first.
  EXPECT_THAT(without.message(),
              AllOf(HasSubstr("no longer: "), HasSubstr("'w'")));
}

TEST(RecoverableClusterTest, GivesUpAParameterServerThatDoesNotComeAgain) {
  InProcessCluster cluster({{"ps", 2}, {"worker", 1}});
  const AsyncModel model = BuildAsyncModel(DeviceOf(Worker(0)), 2);
  RecoverableSessionOptions options = OptionsOf(cluster, Worker(0), model);
  options.give_up = milliseconds(2500);
  options.session.connect_timeout = milliseconds(1000);
  Made session = RecoverableSession::Create(*model.graph, options);
  ASSERT_TRUE(session.ok()) << session.status();
  cluster.Kill(Ps(1));
  EXPECT_FALSE((*session)->Run(StepOf(model, 1)).ok());
  const absl::Status status = (*session)->Run(StepOf(model, 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(status.message(), HasSubstr("gave up after"));
}

// ---- Synchronous training ----

// Trains until the global step is `end`; what is lost is tried again.
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

  // The other first: it waits for the chief.
  void Create(bool reinitialize) {
    std::thread other([&] { sessions_[1] = CreateOne(1, reinitialize); });
    sessions_[0] = CreateOne(0, reinitialize);
    other.join();
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
  std::thread Train(int i, int64_t end) {
    return std::thread(
        [this, i, end] { TrainUntil(*sessions_[i], models_[i], i, end); });
  }
  // As a program's chief does at the end.
  void Finish() {
    EXPECT_TRUE(sessions_[0]
                    ->Run({.targets = {models_[0].finish},
                           .options = {.timeout = kTimeout}})
                    .ok());
  }
  void WaitForStep(int64_t step) {
    const auto end = std::chrono::steady_clock::now() + kTimeout;
    int64_t now = 0;
    while (now < step && std::chrono::steady_clock::now() < end) {
      now = GlobalStep(*sessions_[0], models_[0].global_step);
      std::this_thread::sleep_for(milliseconds(2));
    }
    EXPECT_GE(now, step);
  }

  InProcessCluster cluster_{{{"ps", 2}, {"worker", kWorkers}}};
  std::vector<SyncModel> models_;
  std::unique_ptr<RecoverableSession> sessions_[kWorkers];
};

TEST_F(SyncClusterTest, TheChiefsLoopTrainsAndFinishEndsTheOthers) {
  Create(false);
  // Worker 1 would go on for ever.
  std::thread other = Train(1, 1'000'000);
  Train(0, 20).join();
  Finish();
  other.join();
  EXPECT_GE(GlobalStep(*sessions_[0], models_[0].global_step), 20);
  sessions_[0] = nullptr;
  sessions_[1] = nullptr;
  EXPECT_EQ(cluster_.Leaks(), "");
}

TEST_F(SyncClusterTest, ARestartedWorkerTrainsOn) {
  Create(false);
  std::thread chief = Train(0, 30);
  std::thread other = Train(1, 1'000'000);
  WaitForStep(5);
  cluster_.Restart(Worker(1));
  chief.join();
  Finish();
  other.join();
  EXPECT_GE(sessions_[1]->num_sessions(), 2);
  EXPECT_EQ(sessions_[0]->num_sessions(), 1);
}

TEST_F(SyncClusterTest, ARestartedChiefTrainsOn) {
  Create(false);
  std::thread other = Train(1, 1'000'000);
  Train(0, 5).join();
  cluster_.Restart(Worker(0));
  Train(0, 30).join();
  Finish();
  other.join();
  EXPECT_GE(sessions_[0]->num_sessions(), 2);
}

// The token a worker waits for is on the other server.
TEST_F(SyncClusterTest, ALostParameterServerEndsAWorkerThatWaits) {
  Create(false);
  std::thread other([&] {
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
  // The worker has put its gradient and waits for that of the chief.
  std::this_thread::sleep_for(milliseconds(200));
  const auto begin = std::chrono::steady_clock::now();
  cluster_.Restart(Ps(1));
  other.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kTimeout / 2);
  const absl::Status next =
      sessions_[1]->Run({.fetches = {models_[1].global_step}}).status();
  EXPECT_EQ(next.code(), absl::StatusCode::kFailedPrecondition) << next;
}

// The accumulators on the server that was not lost are steps ahead of a global
// step that begins anew.
TEST_F(SyncClusterTest, ALostParameterServerIsInitializedAgain) {
  Create(true);
  std::thread chief = Train(0, 300);
  std::thread other = Train(1, 1'000'000);
  WaitForStep(20);
  cluster_.Restart(Ps(1));
  chief.join();
  Finish();
  other.join();
  EXPECT_GE(sessions_[0]->num_sessions(), 2);
  EXPECT_GE(sessions_[1]->num_sessions(), 2);
}

}  // namespace
}  // namespace leat
