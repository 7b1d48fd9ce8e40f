// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Synchronous training on served tasks, one of which is killed and comes back:
// the others wait for it, it begins again where they are, and every global step
// applies one mean of as many gradients as it should.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/mutex.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"
#include "leat/train/sync_replicas.h"

namespace leat {
namespace {

using testing::Becomes;
using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::ServedCluster;
using Code = absl::StatusCode;

constexpr int kWorkers = 2;
constexpr absl::Duration kNoticed = absl::Seconds(5);
constexpr absl::Duration kResumed = absl::Seconds(10);

// Every gradient of `w` is exactly 1, so that w is minus the number of steps.
struct Model {
  Graph graph;
  std::string train = {};
  std::string global_step = {};
  std::string weights = {};
  std::string uninitialized = {};
  std::string local_init = {};
  std::string chief_step = {};
};

absl::StatusOr<Model> MakeModel(int worker) {
  GraphBuilder b;
  const Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
      {.ps_tasks = 1,
       .worker_device = absl::StrCat("/job:worker/task:", worker)}));
  const Variable w = b.Variable("w", b.Const(Tensor::Filled(Shape{4}, 0.0f)));
  const Variable step = nn::GlobalStep(b);
  const Output loss = op::Sum(w.value() * b.Const(1.0f), {0});
  const SyncReplicas sync(
      nn::GradientDescent(nn::GradientDescentAttrs{.learning_rate = 1.0f}),
      {.replicas_to_aggregate = kWorkers});
  const SyncStep made = sync.Minimize(loss, {.global_step = step});
  const Output missing = UninitializedVariables(b);
  LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
  return Model{.graph = std::move(graph),
               .train = made.train.name(),
               .global_step = TensorName(step.value()).text,
               .weights = TensorName(w.value()).text,
               .uninitialized = TensorName(missing).text,
               .local_init = made.local_init(worker == 0).name(),
               .chief_step = made.chief_step.name()};
}

// A worker's program, on a thread.
class SyncWorker {
 public:
  SyncWorker(const ServedCluster& cluster, int worker)
      : worker_(worker), target_(cluster.Target({"worker", worker})) {
    auto model = MakeModel(worker);
    EXPECT_TRUE(model.ok()) << model.status();
    model_.emplace(*std::move(model));
    thread_ = std::thread([this] { Train(); });
  }
  ~SyncWorker() { Stop(); }

  void Stop() {
    is_ending_ = true;
    if (const auto session = this->session()) session->Close().IgnoreError();
    if (thread_.joinable()) thread_.join();
  }
  int64_t done() const { return done_; }
  const Model& model() const { return *model_; }
  SessionOptions options() const {
    return {.target = target_,
            .device_filters = {"/job:ps",
                               absl::StrCat("/job:worker/task:", worker_)},
            .connect_timeout = std::chrono::seconds(2)};
  }
  // The first error of a step, and when it came.
  std::optional<std::pair<absl::Status, absl::Time>> failure() const {
    MutexLock lock(mutex_);
    return failure_;
  }
  void ForgetFailure() {
    MutexLock lock(mutex_);
    failure_.reset();
  }

 private:
  std::shared_ptr<RecoverableSession> session() const {
    MutexLock lock(mutex_);
    return session_;
  }
  void Train() {
    const bool is_chief = worker_ == 0;
    auto made = RecoverableSession::Create(
        model_->graph, {.session = options(),
                        .init = model_->graph.init_op(),
                        .uninitialized = model_->uninitialized,
                        .local_init = model_->local_init,
                        .loop = is_chief ? model_->chief_step : "",
                        .is_chief = is_chief,
                        .give_up = std::chrono::seconds(60),
                        .check_every = std::chrono::seconds(1)});
    ASSERT_TRUE(made.ok()) << made.status();
    const std::shared_ptr<RecoverableSession> session = *std::move(made);
    {
      MutexLock lock(mutex_);
      session_ = session;
    }
    while (!is_ending_) {
      const auto result = session->Run({.targets = {model_->train}});
      if (result.ok()) {
        ++done_;
        continue;
      }
      if (is_ending_) return;
      EXPECT_TRUE(IsRecoverable(result.status())) << result.status();
      if (!IsRecoverable(result.status())) return;
      MutexLock lock(mutex_);
      if (!failure_.has_value()) failure_.emplace(result.status(), absl::Now());
    }
  }

  const int worker_;
  const std::string target_;
  std::optional<Model> model_;
  std::atomic<bool> is_ending_{false};
  std::atomic<int64_t> done_{0};
  mutable Mutex mutex_;
  std::shared_ptr<RecoverableSession> session_ ABSL_GUARDED_BY(mutex_);
  std::optional<std::pair<absl::Status, absl::Time>> failure_
      ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

bool Advances(const SyncWorker& worker, int64_t steps) {
  const int64_t enough = worker.done() + steps;
  return Becomes([&] { return worker.done() >= enough; }, kResumed);
}

TEST(SyncFaultsTest, AKilledWorkerBeginsAgainWhereTheOthersWait) {
  const TaskId victim = {"worker", 1};
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    ServedCluster cluster("worker=2,ps=1", {"--grace=1"});
    SyncWorker chief(cluster, 0);
    SyncWorker other(cluster, 1);
    ASSERT_TRUE(Advances(chief, 10));
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(Advances(other, 10));
      other.ForgetFailure();
      absl::SleepFor(absl::Microseconds(random() % 50'000));
      const absl::Time killed = absl::Now();
      cluster.Kill(victim);
      ASSERT_TRUE(
          Becomes([&] { return other.failure().has_value(); }, kNoticed));
      const absl::Status status = other.failure()->first;
      EXPECT_LE(other.failure()->second - killed, kNoticed);
      EXPECT_EQ(status.code(), Code::kUnavailable) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr(cluster.Address(victim)));
      // The chief waits for a second gradient; at most the step that had it
      // already is done.
      const int64_t waits = chief.done();
      absl::SleepFor(absl::Milliseconds(300));
      EXPECT_LE(chief.done(), waits + 1);
      cluster.Start(victim);
      EXPECT_TRUE(Advances(other, 10));
      EXPECT_TRUE(Advances(chief, 10));
    }
    EXPECT_FALSE(chief.failure().has_value()) << chief.failure()->first;
    other.Stop();
    chief.Stop();
    auto session = NewSession(chief.model().graph, chief.options());
    ASSERT_TRUE(session.ok()) << session.status();
    const auto result = (*session)->Run(
        {.fetches = {chief.model().weights, chief.model().global_step}});
    ASSERT_TRUE(result.ok()) << result.status();
    const auto steps = static_cast<float>((*result)[1].scalar<int64_t>());
    EXPECT_GE(steps, static_cast<float>(chief.done()));
    for (const float each : (*result)[0].data<float>()) {
      // The last step may have been cut off before it counted.
      EXPECT_TRUE(-each == steps || -each == steps + 1) << each << " " << steps;
    }
    session->reset();
    cluster.ExpectIdle();
    cluster.End();
  }
}

}  // namespace
}  // namespace leat
