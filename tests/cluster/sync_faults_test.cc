// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests synchronous training on served tasks when a worker is killed and
// returns. The other workers wait for this worker, go on with a backup worker,
// or get an error. Every global step must apply the required number of
// gradients, and no gradient twice. The same must hold when the chief is killed
// and its successor takes over.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/cluster/traced_model.h"
#include "leat/tests/cluster/training_worker.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"
#include "leat/train/sync_replicas.h"

namespace leat::sync_faults_test {
namespace {

using testing::ExpectExactMeans;
using ::testing::HasSubstr;
using testing::kMaxTracedGradients;
using testing::MakeTracedModel;
using testing::NumSeeds;
using testing::ServedCluster;
using testing::TracedMeans;
using testing::TracedModel;
using testing::TracedRow;
using testing::TrainingWorker;
using testing::WorkerSessionOptions;
using Code = absl::StatusCode;

// Is the timeout while no task is missing. It is long, because the machine may
// be slow.
constexpr std::chrono::seconds kPatience(30);

class SyncFaultsTest : public ::testing::Test {
 protected:
  void Start(int workers, const SyncReplicasAttrs& attrs) {
    cluster_ = std::make_unique<ServedCluster>(
        absl::StrCat("worker=", workers, ",ps=1"),
        std::vector<std::string>{"--grace=1"});
    for (int i = 0; i < workers; ++i) {
      auto made = MakeTracedModel(i, {.sync = attrs});
      ASSERT_TRUE(made.ok()) << made.status();
      workers_.push_back(std::make_unique<TrainingWorker>(Program(*made, i)));
      if (i == 0) model_ = *std::move(made);
    }
    for (const auto& worker : workers_) ASSERT_TRUE(worker->Advances(10));
  }

  TrainingWorker::Program Program(const TracedModel& model, int worker) const {
    const bool is_chief = worker == 0;
    return {.graph = model.graph,
            .session = {.session = WorkerSessionOptions(*cluster_, worker),
                        .init = model.graph.init_op(),
                        .uninitialized = model.uninitialized,
                        .local_init = model.local_init,
                        .loop = is_chief ? model.chief_step : "",
                        .is_chief = is_chief,
                        .give_up = std::chrono::seconds(60),
                        .check_every = std::chrono::seconds(1)},
            .step = [worker, feed = model.row,
                     train = model.train](int64_t i) -> RunArgs {
              const Tensor row =
                  Tensor::Vector<int32_t>({TracedRow(worker, i)});
              return {.feeds = {{feed, row}}, .targets = {train}};
            }};
  }

  // Kills the worker's task at a random time. Expects that the client of this
  // worker gets an error that names the task's address.
  void Kill(int worker, std::mt19937& random) {
    absl::SleepFor(absl::Microseconds(random() % 50'000));
    TrainingWorker& victim = *workers_[static_cast<size_t>(worker)];
    victim.ForgetFailures();
    const absl::Time killed = absl::Now();
    cluster_->Kill({"worker", worker});
    ASSERT_TRUE(victim.Fails());
    const auto failure = *victim.failure();
    std::cout << "noticed after " << failure.when - killed << "\n";
    EXPECT_EQ(failure.status.code(), Code::kUnavailable) << failure.status;
    EXPECT_THAT(std::string(failure.status.message()),
                HasSubstr(cluster_->Address({"worker", worker})));
  }
  void ExpectAllAdvance(int64_t steps) const {
    for (const auto& worker : workers_) EXPECT_TRUE(worker->Advances(steps));
  }

  // Ends the training and checks it. The global step must match the number of
  // updates. (Each takeover of the chief also adds one to the global step.)
  // Each update must be the mean of at least `required` gradients. At most
  // `exceptions` updates may be means of more gradients. No gradient may be
  // part of two updates.
  void ExpectExactGradients(int required, int64_t exceptions) {
    int64_t begun = 0;
    for (auto worker = workers_.rbegin(); worker != workers_.rend(); ++worker) {
      (*worker)->Stop();
      begun += (*worker)->begun();
    }
    SessionOptions options = WorkerSessionOptions(*cluster_, 0);
    options.connect_timeout = kPatience;
    auto session = NewSession(model_.graph, options);
    ASSERT_TRUE(session.ok()) << session.status();
    const auto result = (*session)->Run(
        {.fetches = {model_.w, model_.seen, model_.global_step}});
    ASSERT_TRUE(result.ok()) << result.status();
    const TracedMeans means =
        ExpectExactMeans({.w = (*result)[0],
                          .seen = (*result)[1],
                          .global_step = (*result)[2].scalar<int64_t>()},
                         required, workers_[0]->num_sessions() - 1);
    std::cout << means.gradients << " gradients, " << means.large
              << " large means\n";
    EXPECT_LE(means.large, exceptions);
    EXPECT_LE(means.gradients, begun);
    session->reset();
    workers_.clear();
    cluster_->ExpectIdle();
    cluster_->End();
  }

  std::unique_ptr<ServedCluster> cluster_;
  // Kills one of two workers kKills times. After each restart, both workers
  // must run further steps.
  void KillOneOfTwo(int victim, int seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    Start(2, {.replicas_to_aggregate = 2});
    for (int i = 0; i < kKills && !HasFatalFailure(); ++i) {
      Kill(victim, random);
      cluster_->Start({"worker", victim});
      ExpectAllAdvance(10);
    }
    EXPECT_FALSE(workers_[1 - victim]->failure().has_value());
  }

  static constexpr int kKills = 2;
  TracedModel model_;
  std::vector<std::unique_ptr<TrainingWorker>> workers_;
};

TEST_F(SyncFaultsTest, AKilledWorkerBeginsAgainWhereTheOthersAre) {
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    KillOneOfTwo(1, seed);
    // A killed worker that comes back may give a second gradient to the same
    // step.
    ExpectExactGradients(2, kKills);
  }
}

TEST_F(SyncFaultsTest, ABackupWorkerTakesThePlaceOfAKilledOne) {
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    Start(3, {.replicas_to_aggregate = 2, .total_replicas = 3});
    for (int i = 0; i < 2 && !HasFatalFailure(); ++i) {
      const int victim = 1 + static_cast<int>(random() % 2);
      Kill(victim, random);
      EXPECT_TRUE(workers_[0]->Advances(20));
      EXPECT_TRUE(workers_[3 - victim]->Advances(20));
      EXPECT_FALSE(workers_[3 - victim]->failure().has_value());
      cluster_->Start({"worker", victim});
      ExpectAllAdvance(10);
      workers_[victim]->ForgetFailures();
    }
    EXPECT_FALSE(workers_[0]->failure().has_value());
    // A step needs two gradients. If a third one arrives in time, it is part of
    // the mean.
    ExpectExactGradients(2, kMaxTracedGradients);
  }
}

TEST_F(SyncFaultsTest, AKilledChiefTakesOverFromItself) {
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    KillOneOfTwo(0, seed);
    // After a takeover of the chief, the accumulators still have earlier
    // gradients, and there is one token too many. So the next step may average
    // more gradients.
    ExpectExactGradients(2, kKills);
  }
}

// ---- In-graph training ----

// Describes a model with two towers. Each tower has a gradient of 1.
struct InGraphModel {
  Graph graph;
  std::string train = {};
  std::string w = {};
  std::string global_step = {};
  std::string uninitialized = {};
};

absl::StatusOr<InGraphModel> MakeInGraphModel() {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/task:0");
  const Variable w = b.Variable("w", b.Const(Tensor::Filled(Shape{4}, 0.0f)));
  const Variable step = nn::GlobalStep(b);
  const nn::GradientDescent optimizer(
      nn::GradientDescentAttrs{.learning_rate = 1.0f});
  std::vector<Output> gradients;
  for (int i = 0; i < 2; ++i) {
    const Scope tower = b.OnDevice(absl::StrCat("/job:worker/task:", i));
    // This gradient is 1 for every value of w. But no optimization pass knows
    // that, so the step reads w.
    gradients.push_back(op::Minimum(op::Square(w.value()) + 1.0f, 1.0f));
  }
  const Operation train = optimizer.ApplyGradients(
      {{{.variable = w, .gradient = Gradient(op::AddN(gradients))}}},
      {.global_step = step});
  const Output missing = UninitializedVariables(b);
  LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
  return InGraphModel{.graph = std::move(graph),
                      .train = train.name(),
                      .w = TensorName(w.value()).text,
                      .global_step = TensorName(step.value()).text,
                      .uninitialized = TensorName(missing).text};
}

TEST(InGraphFaultsTest, AKilledWorkerIsNamedToTheClientWhichGoesOn) {
  const TaskId victim = {"worker", 1};
  auto made = MakeInGraphModel();
  ASSERT_TRUE(made.ok()) << made.status();
  const InGraphModel model = *std::move(made);
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    constexpr int kKills = 2;
    std::mt19937 random(static_cast<uint32_t>(seed));
    ServedCluster cluster("worker=2,ps=1", {"--grace=1"});
    const SessionOptions options = {.target = cluster.Target({"worker", 0}),
                                    .connect_timeout = std::chrono::seconds(2)};
    TrainingWorker client({.graph = model.graph,
                           .session = {.session = options,
                                       .init = model.graph.init_op(),
                                       .uninitialized = model.uninitialized,
                                       .is_chief = true,
                                       .give_up = std::chrono::seconds(60)},
                           .step = [&model](int64_t) -> RunArgs {
                             return {.targets = {model.train}};
                           }});
    ASSERT_TRUE(client.Advances(10));
    for (int i = 0; i < kKills; ++i) {
      absl::SleepFor(absl::Microseconds(random() % 50'000));
      client.ForgetFailures();
      const absl::Time killed = absl::Now();
      cluster.Kill(victim);
      ASSERT_TRUE(client.Fails());
      const auto failure = *client.failure();
      std::cout << "noticed after " << failure.when - killed << "\n";
      EXPECT_EQ(failure.status.code(), Code::kUnavailable) << failure.status;
      EXPECT_THAT(std::string(failure.status.message()),
                  HasSubstr("/job:worker/replica:0/task:1"));
      cluster.Start(victim);
      EXPECT_TRUE(client.Advances(10));
    }
    client.Stop();
    auto session =
        NewSession(model.graph, {.target = cluster.Target({"worker", 0}),
                                 .connect_timeout = kPatience});
    ASSERT_TRUE(session.ok()) << session.status();
    const auto result =
        (*session)->Run({.fetches = {model.w, model.global_step}});
    ASSERT_TRUE(result.ok()) << result.status();
    const int64_t steps = (*result)[1].scalar<int64_t>();
    EXPECT_GE(steps, client.done());
    EXPECT_LE(steps, client.begun());
    for (const float each : (*result)[0].data<float>()) {
      // Each step subtracts two gradients of 1 from w. The global step does not
      // count a step that was interrupted after it changed w.
      const int64_t twice = std::lround(-each);
      EXPECT_EQ(twice % 2, 0) << each;
      EXPECT_GE(twice / 2, steps);
      EXPECT_LE(twice / 2, steps + kKills + 1);
    }
    session->reset();
    cluster.ExpectIdle();
    cluster.End();
  }
}

}  // namespace
}  // namespace leat::sync_faults_test
