// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a network gets the same losses whether it is trained in this
// process, in one graph over a cluster (in-graph), or by several workers, each
// with its own graph (between-graph).
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/train/barrier.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"
#include "leat/train/sync_replicas.h"

namespace leat::cluster_training_test {
namespace {

using testing::InProcessCluster;

constexpr int kWorkers = 2;
constexpr int kServers = 2;
constexpr int kRows = 5;  // per worker and step
constexpr int kFeatures = 6;
constexpr int kClasses = 3;
constexpr int kSteps = 12;

using Optimizer = std::shared_ptr<const nn::Optimizer>;
using Losses = std::vector<float>;

struct Network {
  Output x = {};
  Output labels = {};
  Output loss = {};
};

Network BuildNetwork(GraphBuilder& b) {
  Network network;
  network.x = b.Placeholder<float>("x", {-1, kFeatures});
  network.labels = b.Placeholder<int32_t>("labels", {-1});
  const Output h = nn::Dense(network.x, {.units = 7, .activation = nn::tanh});
  network.loss = nn::SparseSoftmaxCrossEntropy(
      network.labels, nn::Dense(h, {.units = kClasses}));
  return network;
}

struct Rows {
  Tensor x;
  Tensor labels;
};

// Returns the rows of all workers in one step.
Rows RowsOf(int step) {
  std::vector<float> x;
  std::vector<int32_t> labels;
  for (int row = 0; row < kWorkers * kRows; ++row) {
    const int number = step * kWorkers * kRows + row;
    for (int i = 0; i < kFeatures; ++i) {
      x.push_back(std::sin(static_cast<float>(number * 31 + i * 17)));
    }
    labels.push_back(number * number % kClasses);
  }
  return {.x = Tensor::FromSpan<float>(Shape{kWorkers * kRows, kFeatures}, x),
          .labels = Tensor::FromSpan<int32_t>(Shape{kWorkers * kRows}, labels)};
}

Rows RowsOf(int step, int worker) {
  const Rows all = RowsOf(step);
  const int first = worker * kRows;
  return {.x = all.x.Slice(first, first + kRows),
          .labels = all.labels.Slice(first, first + kRows)};
}

Losses TrainLocally(const Optimizer& optimizer) {
  GraphBuilder b;
  b.SetSeed(7);
  const Network network = BuildNetwork(b);
  const Operation step =
      optimizer->Minimize(network.loss, {.global_step = nn::GlobalStep(b)});
  const auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto session = NewSession(*graph);
  EXPECT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE((*session)->Run({.targets = {graph->init_op()}}).ok());
  Losses losses;
  for (int i = 0; i < kSteps; ++i) {
    const Rows rows = RowsOf(i);
    const auto out = (*session)->Run(
        {.feeds = {{network.x, rows.x}, {network.labels, rows.labels}},
         .fetches = {network.loss},
         .targets = {step}});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) break;
    losses.push_back((*out)[0].scalar<float>());
  }
  return losses;
}

nn::PsStrategy Strategy() { return nn::GreedyByBytes(kServers); }

std::string WorkerDevice(int worker) {
  return absl::StrCat("/job:worker/task:", worker);
}

// Describes an in-graph program: one graph with a tower for each worker.
struct Towers {
  std::vector<Network> networks = {};
  Output loss = {};
  Operation step = {};
};

Towers BuildTowers(GraphBuilder& b, const nn::Optimizer& optimizer) {
  const nn::PsStrategy strategy = Strategy();
  const auto on = [&](const std::string& device) {
    return b.OnDevice(nn::ReplicaDeviceSetter(
        {.ps_tasks = kServers, .worker_device = device, .strategy = strategy}));
  };
  Towers towers;
  std::vector<Output> losses;
  for (int i = 0; i < kWorkers; ++i) {
    auto device = on(WorkerDevice(i));
    auto variables = b.VariableScope("model");
    towers.networks.push_back(BuildNetwork(b));
    losses.push_back(towers.networks.back().loss);
  }
  auto device = on("/job:ps/task:0");
  std::vector<std::vector<nn::VariableGradient>> gradients;
  for (const Output& loss : losses) {
    gradients.push_back(
        optimizer.ComputeGradients(loss, b.TrainableVariables()));
  }
  std::vector<nn::VariableGradient> means;
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    std::vector<Output> all;
    for (const auto& tower : gradients) {
      all.push_back(tower[i].gradient.AsDense());
    }
    means.push_back({gradients[0][i].variable,
                     op::AddN(all) / static_cast<float>(kWorkers)});
  }
  towers.loss = op::AddN(losses) / static_cast<float>(kWorkers);
  towers.step =
      optimizer.ApplyGradients(means, {.global_step = nn::GlobalStep(b)});
  return towers;
}

Losses TrainInGraph(const Optimizer& optimizer) {
  InProcessCluster cluster({{"ps", kServers}, {"worker", kWorkers}});
  GraphBuilder b;
  b.SetSeed(7);
  const Towers towers = BuildTowers(b, *optimizer);
  const auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  Losses losses;
  {
    const auto session = cluster.NewSession(*graph, {"worker", 0});
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return losses;
    EXPECT_TRUE((*session)->Run({.targets = {graph->init_op()}}).ok());
    for (int i = 0; i < kSteps; ++i) {
      RunArgs args{.fetches = {towers.loss}, .targets = {towers.step}};
      for (int worker = 0; worker < kWorkers; ++worker) {
        const Rows rows = RowsOf(i, worker);
        const Network& network = towers.networks[worker];
        args.feeds.push_back({network.x, rows.x});
        args.feeds.push_back({network.labels, rows.labels});
      }
      const auto out = (*session)->Run(args);
      EXPECT_TRUE(out.ok()) << out.status();
      if (!out.ok()) break;
      losses.push_back((*out)[0].scalar<float>());
    }
    EXPECT_TRUE((*session)->Close().ok());
  }
  EXPECT_EQ(cluster.Leaks(), "");
  return losses;
}

// A Worker is a worker of between-graph training, with its own thread and its
// own graph.
class Worker {
 public:
  // If `sync` is true, gradients are averaged over all workers.
  Worker(int number, bool sync, const Optimizer& optimizer) : number_(number) {
    b_.SetSeed(7);
    auto device = b_.OnDevice(
        nn::ReplicaDeviceSetter({.ps_tasks = kServers,
                                 .worker_device = WorkerDevice(number),
                                 .strategy = Strategy()}));
    network_ = BuildNetwork(b_);
    const nn::MinimizeOptions options{.global_step = nn::GlobalStep(b_)};
    if (sync) {
      const SyncStep step =
          SyncReplicas(optimizer, {.replicas_to_aggregate = kWorkers})
              .Minimize(network_.loss, options);
      train_ = step.train;
      options_.local_init = step.local_init(number == 0).name();
      if (number == 0) options_.loop = step.chief_step.name();
    } else {
      train_ = optimizer->Minimize(network_.loss, options);
    }
    options_.uninitialized = UninitializedVariables(b_).name();
  }

  // Trains and returns the losses. After each step, waits at `step_end` for the
  // other workers. Without this wait, a fast worker could take the token of a
  // slow worker, and would then compute two gradients for the same step (see
  // SyncReplicas).
  Losses Train(InProcessCluster& cluster, testing::Barrier& step_end) {
    const absl::Cleanup leave = [&] { step_end.ArriveAndDrop(); };
    Losses losses;
    const auto graph = b_.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    options_.init = graph->init_op();
    options_.is_chief = number_ == 0;
    options_.clock = &testing::TestClock();
    options_.new_session = [&](const Graph& of, const SessionOptions&) {
      return cluster.NewSession(
          of, {"worker", number_},
          {.device_filters = {"/job:ps", WorkerDevice(number_)}});
    };
    const auto session = RecoverableSession::Create(*graph, options_);
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return losses;
    for (int i = 0; i < kSteps; ++i) {
      const Rows rows = RowsOf(i, number_);
      const auto out = (*session)->Run(
          {.feeds = {{network_.x, rows.x}, {network_.labels, rows.labels}},
           .fetches = {network_.loss},
           .targets = {train_},
           .options = {.timeout = std::chrono::seconds(60)}});
      EXPECT_TRUE(out.ok()) << out.status();
      if (!out.ok()) break;
      losses.push_back((*out)[0].scalar<float>());
      step_end.ArriveAndWait();
    }
    return losses;
  }

 private:
  const int number_;
  GraphBuilder b_;
  Network network_ = {};
  Operation train_ = {};
  RecoverableSessionOptions options_ = {};
};

// Returns, for each step, the mean of the workers' losses.
Losses TrainBetweenGraph(const Optimizer& optimizer) {
  const testing::SimulatedClock clock;
  InProcessCluster cluster({{"ps", kServers}, {"worker", kWorkers}});
  std::vector<Losses> all(kWorkers);
  {
    testing::Barrier step_end(kWorkers);
    std::vector<Thread> threads;
    for (int i = 0; i < kWorkers; ++i) {
      threads.emplace_back("trains", [&cluster, &step_end, &all, &optimizer,
                                      i] {
        all[i] = Worker(i, /*sync=*/true, optimizer).Train(cluster, step_end);
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(cluster.Leaks(), "");
  Losses means(kSteps);
  for (const Losses& losses : all) {
    EXPECT_EQ(losses.size(), means.size());
    if (losses.size() != means.size()) return {};
    for (int i = 0; i < kSteps; ++i) means[i] += losses[i] / kWorkers;
  }
  return means;
}

void ExpectEqual(const Losses& losses, const Losses& want) {
  ASSERT_EQ(losses.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(losses[i], want[i], 2e-6f * (1 + std::abs(want[i])))
        << "step " << i;
  }
}

class ClusterTrainingTest : public ::testing::TestWithParam<const char*> {
 protected:
  Optimizer MakeOptimizer() const {
    const std::string name = GetParam();
    if (name == "adam") {
      return std::make_shared<nn::Adam>(nn::AdamAttrs{.learning_rate = 0.02});
    }
    if (name == "momentum") {
      return std::make_shared<nn::Momentum>(
          nn::MomentumAttrs{.learning_rate = 0.05});
    }
    return std::make_shared<nn::GradientDescent>(
        nn::GradientDescentAttrs{.learning_rate = 0.2});
  }
};

TEST_P(ClusterTrainingTest, LearnsInThisProcess) {
  const Losses losses = TrainLocally(MakeOptimizer());
  ASSERT_EQ(losses.size(), size_t{kSteps});
  EXPECT_GT(losses.front(), 0.5f);
  EXPECT_NE(losses.front(), losses.back());
}

TEST_P(ClusterTrainingTest, InGraphGivesTheLossesOfThisProcess) {
  ExpectEqual(TrainInGraph(MakeOptimizer()), TrainLocally(MakeOptimizer()));
}

TEST_P(ClusterTrainingTest, SynchronousBetweenGraphGivesThemToo) {
  ExpectEqual(TrainBetweenGraph(MakeOptimizer()),
              TrainLocally(MakeOptimizer()));
}

TEST_P(ClusterTrainingTest, InGraphAndBetweenGraphAgree) {
  ExpectEqual(TrainBetweenGraph(MakeOptimizer()),
              TrainInGraph(MakeOptimizer()));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ClusterTrainingTest,
                         ::testing::Values("gradient_descent", "momentum",
                                           "adam"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace leat::cluster_training_test
