// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests SyncReplicas on clusters in this process. The first tests check that a
// cluster computes the same as one session that gets all batches at once. The
// other tests check which workers' gradients count, what happens when a worker
// or the chief is restarted and when training ends, and what the chief's step
// needs.
#include "leat/train/sync_replicas.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/train/barrier.h"
#include "leat/tests/train/sync_models.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/session.h"

namespace leat::sync_replicas_test {
namespace {

using testing::Barrier;
using testing::BuildSyncModel;
using testing::EmbeddingBatch;
using testing::EmbeddingLoss;
using testing::Eventually;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using testing::LinearBatch;
using testing::LinearLoss;
using testing::SimulatedClock;
using ::testing::SizeIs;
using testing::SyncModel;
using testing::SyncModelOptions;
using testing::Together;

// No step of a test runs longer than this.
constexpr std::chrono::seconds kTimeout(60);

using BatchFunction = std::vector<Feed> (*)(int worker, int step);

std::string WorkerDevice(int worker) {
  return absl::StrCat("/job:worker/task:", worker);
}

absl::Status RunTarget(Session& session, const std::string& name,
                       std::chrono::nanoseconds timeout = kTimeout) {
  return session.Run({.targets = {name}, .options = {.timeout = timeout}})
      .status();
}

template <class T>
T Fetch(Session& session, const std::string& name) {
  auto fetched =
      session.Run({.fetches = {name}, .options = {.timeout = kTimeout}});
  EXPECT_TRUE(fetched.ok()) << fetched.status();
  return fetched.ok() ? (*fetched)[0].data<T>()[0] : T{};
}

// Holds the models and the sessions of several workers. Worker 0 is the chief.
class Workers {
 public:
  Workers(InProcessCluster& cluster, int num_workers,
          const std::function<SyncModel(int worker)>& build) {
    for (int i = 0; i < num_workers; ++i) {
      models.push_back(build(i));
      auto session =
          cluster.NewSession(*models[i].graph, {.job = "worker", .index = i});
      EXPECT_TRUE(session.ok()) << session.status();
      sessions.push_back(*std::move(session));
    }
  }

  void Initialize() {
    Ok(0, models[0].graph->init_op());
    Ok(0, models[0].chief_init);
    for (size_t i = 1; i < models.size(); ++i) {
      Ok(static_cast<int>(i), models[i].worker_init);
    }
  }

  void Ok(int worker, const std::string& name) {
    const absl::Status status = RunTarget(*sessions[worker], name);
    EXPECT_TRUE(status.ok())
        << name << " of worker " << worker << ": " << status;
  }

  void Step(int worker, BatchFunction batch, int step,
            std::vector<float>* losses = nullptr) {
    auto out = sessions[worker]->Run({.feeds = batch(worker, step),
                                      .fetches = {models[worker].loss},
                                      .targets = {models[worker].train},
                                      .options = {.timeout = kTimeout}});
    ASSERT_TRUE(out.ok()) << "worker " << worker << ", step " << step << ": "
                          << out.status();
    if (losses != nullptr) losses->push_back((*out)[0].scalar<float>());
  }
  // Returns a thread that runs the worker's steps from `begin` to `end` - 1.
  Thread Train(int worker, BatchFunction batch, int begin, int end) {
    return Thread("trains", [this, worker, batch, begin, end] {
      for (int step = begin; step < end && !::testing::Test::HasFailure();
           ++step) {
        Step(worker, batch, step);
      }
    });
  }
  // Returns threads that run the steps from `begin` to `end` - 1 of all
  // workers. No worker begins a step before all workers have their tokens for
  // this step. So each worker gives one gradient to each step. Appends the
  // losses of each worker to its vector in `losses`.
  std::vector<Thread> TrainInStep(
      int num_workers, BatchFunction batch, int begin, int end,
      std::vector<std::vector<float>>* losses = nullptr) {
    const auto step_end = std::make_shared<Barrier>(num_workers);
    std::vector<Thread> threads;
    for (int worker = 0; worker < num_workers; ++worker) {
      threads.emplace_back("trains", [=, this] {
        const absl::Cleanup leave = [&] { step_end->ArriveAndDrop(); };
        for (int step = begin; step < end && !::testing::Test::HasFailure();
             ++step) {
          Step(worker, batch, step,
               losses == nullptr ? nullptr : &(*losses)[worker]);
          step_end->ArriveAndWait();
        }
      });
    }
    return threads;
  }
  // Returns a thread that trains until the global step is `end`.
  Thread TrainUntil(int worker, int64_t end) {
    return Thread("trains", [this, worker, end] {
      for (int i = 0; GlobalStep() < end; ++i) {
        Step(worker, LinearBatch, i);
        if (::testing::Test::HasFailure()) return;
      }
    });
  }
  Thread Chief(int steps) {
    return Thread("trains", [this, steps] {
      for (int step = 0; step < steps && !::testing::Test::HasFailure();
           ++step) {
        Ok(0, models[0].chief_step);
      }
    });
  }

  int64_t GlobalStep() {
    return Fetch<int64_t>(*sessions[0], models[0].global_step);
  }

  std::vector<SyncModel> models;
  std::vector<std::shared_ptr<Session>> sessions;
};

void Join(std::vector<Thread> threads) {
  for (Thread& thread : threads) thread.Join();
}

// ---- Results of training ----

// Returns the mean of the workers' losses for each step.
template <class Optimizer>
std::vector<float> LossesOfCluster(const Optimizer& optimizer,
                                   testing::LossFunction loss,
                                   BatchFunction batch, int num_workers,
                                   int steps) {
  const SimulatedClock clock;
  InProcessCluster cluster({{"ps", 2}, {"worker", num_workers}});
  Workers workers(cluster, num_workers, [&](int worker) {
    return BuildSyncModel(optimizer,
                          {.loss = loss,
                           .worker_device = WorkerDevice(worker),
                           .ps_tasks = 2,
                           .attrs = {.replicas_to_aggregate = num_workers}});
  });
  workers.Initialize();
  std::vector<std::vector<float>> losses(num_workers);
  auto threads = workers.TrainInStep(num_workers, batch, 0, steps, &losses);
  threads.push_back(workers.Chief(steps));
  Join(std::move(threads));
  EXPECT_EQ(workers.GlobalStep(), steps);
  std::vector<float> means;
  for (int step = 0; step < steps; ++step) {
    float sum = 0;
    for (const std::vector<float>& of_worker : losses) {
      if (of_worker.size() != static_cast<size_t>(steps)) return {};
      sum += of_worker[step];
    }
    means.push_back(sum / static_cast<float>(num_workers));
  }
  return means;
}

template <class Optimizer>
std::vector<float> LossesOfOneSession(const Optimizer& optimizer,
                                      const testing::LossFunction& loss_of,
                                      BatchFunction batch, int num_workers,
                                      int steps) {
  GraphBuilder b;
  const Variable global_step = nn::GlobalStep(b);
  const Output loss = loss_of(b);
  const Operation train =
      optimizer.Minimize(loss, {.global_step = global_step});
  const absl::StatusOr<Graph> graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  auto session = NewSession(*graph);
  EXPECT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE(RunTarget(**session, graph->init_op()).ok());
  std::vector<float> losses;
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<Feed>> batches;
    for (int i = 0; i < num_workers; ++i) batches.push_back(batch(i, step));
    auto out = (*session)->Run(
        {.feeds = Together(batches), .fetches = {loss}, .targets = {train}});
    EXPECT_TRUE(out.ok()) << out.status();
    losses.push_back(out.ok() ? (*out)[0].scalar<float>() : -1);
  }
  return losses;
}

template <class Optimizer>
void ExpectTheSameLosses(const Optimizer& optimizer,
                         const testing::LossFunction& loss, BatchFunction batch,
                         int num_workers) {
  constexpr int kSteps = 8;
  const std::vector<float> cluster =
      LossesOfCluster(optimizer, loss, batch, num_workers, kSteps);
  const std::vector<float> one =
      LossesOfOneSession(optimizer, loss, batch, num_workers, kSteps);
  ASSERT_THAT(cluster, SizeIs(kSteps));
  for (int i = 0; i < kSteps; ++i) {
    EXPECT_NEAR(cluster[i], one[i], 2e-6f * (1 + one[i])) << "step " << i;
  }
  EXPECT_GT(std::abs(one[kSteps - 1] - one[0]), 1e-3f);  // the loss changes
}

TEST(SyncReplicasTest, GradientDescentIsThatOfOneLargeBatch) {
  ExpectTheSameLosses(nn::GradientDescent({.learning_rate = 0.1}), LinearLoss,
                      LinearBatch, 2);
}

TEST(SyncReplicasTest, ThreeWorkersWithMomentumAreOneLargeBatch) {
  ExpectTheSameLosses(nn::Momentum({.learning_rate = 0.1}), LinearLoss,
                      LinearBatch, 3);
}

TEST(SyncReplicasTest, AdamIsThatOfOneLargeBatch) {
  ExpectTheSameLosses(nn::Adam({.learning_rate = 0.05}), LinearLoss,
                      LinearBatch, 2);
}

TEST(SyncReplicasTest, AdagradIsThatOfOneLargeBatch) {
  ExpectTheSameLosses(nn::Adagrad({.learning_rate = 0.2}), LinearLoss,
                      LinearBatch, 2);
}

TEST(SyncReplicasTest, RMSPropIsThatOfOneLargeBatch) {
  ExpectTheSameLosses(nn::RMSProp({.learning_rate = 0.02, .momentum = 0.5}),
                      LinearLoss, LinearBatch, 2);
}

// If a worker did not use a row, its gradient of that row counts as zero.
TEST(SyncReplicasTest, SparseGradientsOfPartsAreThoseOfOneLargeBatch) {
  ExpectTheSameLosses(nn::GradientDescent({.learning_rate = 0.1}),
                      EmbeddingLoss, EmbeddingBatch, 2);
  ExpectTheSameLosses(nn::Adagrad({.learning_rate = 0.2}), EmbeddingLoss,
                      EmbeddingBatch, 3);
}

TEST(SyncReplicasTest, SparseAdamAndMomentumAreThoseOfOneLargeBatch) {
  ExpectTheSameLosses(nn::Adam({.learning_rate = 0.05}), EmbeddingLoss,
                      EmbeddingBatch, 2);
  ExpectTheSameLosses(nn::Momentum({.learning_rate = 0.1}), EmbeddingLoss,
                      EmbeddingBatch, 2);
}

// ---- Whose gradients count ----

// The parameter server has an accumulator of gradients for each of the
// variables w and c. `of_w` and `of_c` are names of tensors. Their values are
// the numbers of gradients that wait in the two accumulators.
struct Counts {
  std::string of_w;
  std::string of_c;
};

class CountedTest : public ::testing::Test {
 protected:
  void Start(int num_workers, SyncReplicasAttrs attrs) {
    workers_.emplace(cluster_, num_workers, [&](int worker) {
      SyncModelOptions options{.worker_device = WorkerDevice(worker),
                               .attrs = attrs};
      return BuildSyncModel(
          SyncReplicas(nn::GradientDescent({.learning_rate = 0.1}), attrs),
          options, [this](GraphBuilder& b) { AddCounts(b); });
    });
    workers_->Initialize();
  }

  void AddCounts(GraphBuilder& b) {
    const Scope device = b.OnDevice("/job:ps/task:0");
    const auto count = [&](const char* name, const Shape& shape) {
      return op::ResourceAccumulatorNumAccumulated(
                 op::ResourceConditionalAccumulator(
                     b, DType::kFloat, shape,
                     {.shared_name = absl::StrCat(name, ":0/grad_accum")}))
          .name();
    };
    counts_ = {.of_w = count("w", Shape{3, 1}), .of_c = count("c", Shape{1})};
    w_ = "w/Read/ReadVariableOp:0";
    add_to_w_only_ = AddToWOnly(b);
  }
  // Adds an op that puts a gradient for step 0 into the accumulator of w only.
  static std::string AddToWOnly(GraphBuilder& b) {
    return op::ResourceAccumulatorApplyGradient(
               op::ResourceConditionalAccumulator(
                   b, DType::kFloat, Shape{3, 1},
                   {.shared_name = "w:0/grad_accum"}),
               b.Const<int64_t>(0),
               b.Const(Tensor::Of<float>(Shape{3, 1}, {1, 1, 1})))
        .name();
  }

  int NumWaiting(const std::string& name) {
    return Fetch<int32_t>(*workers_->sessions[0], name);
  }
  // Waits until the accumulator of w and the accumulator of c each hold `count`
  // gradients.
  void WaitFor(int count) {
    EXPECT_TRUE(Eventually([&] {
      return NumWaiting(counts_.of_w) >= count &&
             NumWaiting(counts_.of_c) >= count;
    }));
    EXPECT_EQ(NumWaiting(counts_.of_w), count);
    EXPECT_EQ(NumWaiting(counts_.of_c), count);
  }
  // Makes both workers run the steps `from` to `to` - 1, and makes the chief
  // apply their gradients.
  void TrainBoth(int from, int to) {
    auto threads = workers_->TrainInStep(2, LinearBatch, from, to);
    threads.push_back(workers_->Chief(to - from));
    Join(std::move(threads));
  }
  std::vector<float> W() {
    auto fetched = workers_->sessions[0]->Run({.fetches = {w_}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    const auto values = (*fetched)[0].data<float>();
    return {values.begin(), values.end()};
  }

  SimulatedClock clock_;
  InProcessCluster cluster_{{{"ps", 1}, {"worker", 3}}};
  std::optional<Workers> workers_;
  Counts counts_;
  std::string w_;
  std::string add_to_w_only_;
};

TEST_F(CountedTest, TheChiefWaitsForEveryWorker) {
  Start(3, {.replicas_to_aggregate = 3});
  Thread first = workers_->Train(0, LinearBatch, 0, 1);
  Thread second = workers_->Train(1, LinearBatch, 0, 1);
  WaitFor(2);
  Thread chief = workers_->Chief(1);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(workers_->GlobalStep(), 0);
  workers_->Train(2, LinearBatch, 0, 1).Join();
  Join([&] {
    std::vector<Thread> threads;
    threads.push_back(std::move(first));
    threads.push_back(std::move(second));
    threads.push_back(std::move(chief));
    return threads;
  }());
  EXPECT_EQ(workers_->GlobalStep(), 1);
  WaitFor(0);
}

// There are as many tokens as workers. So no worker begins a step before the
// chief has ended the previous step.
TEST_F(CountedTest, AWorkerWaitsForTheStepOfTheChief) {
  Start(2, {.replicas_to_aggregate = 2});
  auto threads = workers_->TrainInStep(2, LinearBatch, 0, 2);
  WaitFor(2);
  clock_.Advance(std::chrono::seconds(1));
  WaitFor(2);
  workers_->Chief(1).Join();
  WaitFor(2);
  EXPECT_EQ(workers_->GlobalStep(), 1);
  workers_->Chief(1).Join();
  Join(std::move(threads));
  EXPECT_EQ(workers_->GlobalStep(), 2);
  WaitFor(0);
}

TEST_F(CountedTest, AGradientOfAnEarlierStepIsDropped) {
  Start(2, {.replicas_to_aggregate = 1, .total_replicas = 2});
  const std::vector<float> begin = W();
  Thread fast = workers_->Train(0, LinearBatch, 0, 1);
  workers_->Chief(1).Join();
  fast.Join();
  const std::vector<float> after = W();
  EXPECT_NE(after, begin);
  // Worker 1 computes its gradient for step 0, which is over. So the gradient
  // is dropped, and the worker gets the remaining token.
  workers_->Train(1, LinearBatch, 0, 1).Join();
  WaitFor(0);
  EXPECT_EQ(W(), after);
  // Worker 1 has got a token for step 1, so this gradient counts.
  Thread slow = workers_->Train(1, LinearBatch, 1, 2);
  WaitFor(1);
  workers_->Chief(1).Join();
  slow.Join();
  EXPECT_NE(W(), after);
  EXPECT_EQ(workers_->GlobalStep(), 2);
}

TEST_F(CountedTest, BackupWorkersAreNotWaitedFor) {
  Start(3, {.replicas_to_aggregate = 2, .total_replicas = 3});
  constexpr int kSteps = 10;
  {
    std::vector<Thread> threads;
    threads.push_back(workers_->Chief(kSteps));
    threads.push_back(workers_->TrainUntil(0, kSteps));
    threads.push_back(workers_->TrainUntil(1, kSteps));
    Join(std::move(threads));
  }
  EXPECT_EQ(workers_->GlobalStep(), kSteps);
  // The third worker is late. So its gradient is dropped, but the worker gets a
  // token.
  const std::vector<float> before = W();
  workers_->Train(2, LinearBatch, 0, 1).Join();
  WaitFor(0);
  EXPECT_EQ(W(), before);
  std::vector<Thread> threads;
  threads.push_back(workers_->Chief(1));
  threads.push_back(workers_->TrainUntil(2, kSteps + 1));
  threads.push_back(workers_->TrainUntil(0, kSteps + 1));
  Join(std::move(threads));
  EXPECT_EQ(workers_->GlobalStep(), kSteps + 1);
  EXPECT_NE(W(), before);
}

TEST_F(CountedTest, OneWorkerMayComputeAllGradientsOfAStep) {
  Start(1, {.replicas_to_aggregate = 3, .total_replicas = 1});
  std::vector<Thread> threads;
  threads.push_back(workers_->Chief(2));
  threads.push_back(workers_->Train(0, LinearBatch, 0, 6));
  Join(std::move(threads));
  EXPECT_EQ(workers_->GlobalStep(), 2);
  WaitFor(0);
}

// ---- Tasks that are restarted ----

TEST_F(CountedTest, AWorkerThatComesAgainGoesOn) {
  Start(2, {.replicas_to_aggregate = 2});
  TrainBoth(0, 3);
  workers_->sessions[1] = nullptr;
  const TaskId task{.job = "worker", .index = 1};
  cluster_.Kill(task);
  cluster_.Start(task);
  auto session = cluster_.NewSession(*workers_->models[1].graph, task);
  ASSERT_TRUE(session.ok()) << session.status();
  workers_->sessions[1] = *session;
  workers_->Ok(1, workers_->models[1].worker_init);
  TrainBoth(3, 6);
  EXPECT_EQ(workers_->GlobalStep(), 6);
}

// The first chief is lost after it has taken the gradients of w, but before it
// has taken the gradients of c. So the accumulator of c is one step behind.
TEST_F(CountedTest, AChiefThatTakesOverGoesOn) {
  Start(2, {.replicas_to_aggregate = 1, .total_replicas = 2});
  workers_->Ok(0, add_to_w_only_);
  const absl::Status lost =
      RunTarget(*workers_->sessions[0], workers_->models[0].chief_step,
                std::chrono::seconds(4));
  EXPECT_EQ(lost.code(), absl::StatusCode::kDeadlineExceeded) << lost;
  EXPECT_EQ(NumWaiting(counts_.of_w), 0);
  EXPECT_EQ(workers_->GlobalStep(), 0);

  workers_->Ok(0, workers_->models[0].chief_init);
  EXPECT_EQ(workers_->GlobalStep(), 1);
  std::vector<Thread> threads;
  threads.push_back(workers_->Chief(3));
  threads.push_back(workers_->TrainUntil(0, 4));
  Join(std::move(threads));
  EXPECT_EQ(workers_->GlobalStep(), 4);
}

TEST_F(CountedTest, AChiefThatTakesOverWakesWorkersThatWait) {
  Start(2, {.replicas_to_aggregate = 2});
  Thread first = workers_->Train(0, LinearBatch, 0, 1);
  Thread second = workers_->Train(1, LinearBatch, 0, 1);
  WaitFor(2);
  workers_->Ok(0, workers_->models[0].chief_init);
  first.Join();
  second.Join();
  EXPECT_EQ(workers_->GlobalStep(), 1);
}

TEST_F(CountedTest, TheEndOfTrainingWakesWorkersThatWait) {
  Start(2, {.replicas_to_aggregate = 2});
  Thread waits("waits", [this] {
    const absl::Status status =
        workers_->sessions[1]
            ->Run({.feeds = LinearBatch(1, 0),
                   .targets = {workers_->models[1].train},
                   .options = {.timeout = kTimeout}})
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  });
  WaitFor(1);
  workers_->Ok(0, workers_->models[0].finish);
  waits.Join();
}

TEST_F(CountedTest, AChiefThatBeginsAfterTheEndGoesOnStepByStep) {
  Start(2, {.replicas_to_aggregate = 2});
  TrainBoth(0, 1);
  const SyncModel& chief = workers_->models[0];
  workers_->Ok(0, chief.finish);
  EXPECT_TRUE(Fetch<bool>(*workers_->sessions[1], chief.finished));
  workers_->Ok(0, chief.chief_init);
  EXPECT_FALSE(Fetch<bool>(*workers_->sessions[1], chief.finished));
  workers_->Ok(1, workers_->models[1].worker_init);
  EXPECT_EQ(workers_->GlobalStep(), 2);
  auto threads = workers_->TrainInStep(2, LinearBatch, 1, 3);
  WaitFor(2);
  clock_.Advance(std::chrono::seconds(1));
  WaitFor(2);
  workers_->Chief(2).Join();
  Join(std::move(threads));
  EXPECT_EQ(workers_->GlobalStep(), 4);
  WaitFor(0);
}

// ---- Graphs ----

TEST(SyncReplicasTest, TheChiefStepNeedsNoBatch) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {-1, 3});
  const Output h = nn::BatchNormalization(x);
  const Output loss = op::Mean(op::Square(h), Tensor::Vector<int32_t>({0, 1}));
  const SyncStep step = SyncReplicas(nn::GradientDescent(), {})
                            .Minimize(loss, {.global_step = nn::GlobalStep(b)});
  const absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE(RunTarget(**session, graph->init_op()).ok());
  ASSERT_TRUE(RunTarget(**session, step.chief_init.name()).ok());
  Thread chief("chief", [&] {
    const absl::Status status = RunTarget(**session, step.chief_step.name());
    EXPECT_TRUE(status.ok()) << status;
  });
  const auto moving = [&] {
    auto fetched = (*session)->Run(
        {.fetches = {"batch_normalization/moving_mean/Read/ReadVariableOp:0"}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? (*fetched)[0].data<float>()[0] : -1;
  };
  EXPECT_EQ(moving(), 0);
  EXPECT_TRUE((*session)
                  ->Run({.feeds = {{x, Tensor::Of<float>(Shape{2, 3},
                                                         {1, 2, 3, 4, 5, 6})}},
                         .targets = {step.train},
                         .options = {.timeout = kTimeout}})
                  .ok());
  chief.Join();
  EXPECT_GT(moving(), 0);  // the worker's step runs the builder's updates
}

}  // namespace
}  // namespace leat::sync_replicas_test
