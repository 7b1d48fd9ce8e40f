// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests asynchronous training on served tasks while workers are killed again
// and again. The other workers must go on, the variables must keep their
// values, and the model must become as good as without the kills.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
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
#include "leat/tests/cluster/training_worker.h"
#include "leat/tests/testing/sanitizers.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"

namespace leat::async_faults_test {
namespace {

using testing::Becomes;
using ::testing::HasSubstr;
using testing::kHasSanitizer;
using testing::NumSeeds;
using testing::ServedCluster;
using testing::TrainingWorker;
using testing::WorkerSessionOptions;
using Code = absl::StatusCode;

constexpr int kWorkers = 3;
constexpr int kPs = 2;
constexpr int kExamples = kHasSanitizer ? 250 : 1000;
constexpr int kFeatures = 8;
constexpr int kClasses = 4;
// After this many steps the loss is within 0.5 % of the smallest possible loss.
constexpr int64_t kSteps = 750;
constexpr absl::Duration kWindow = absl::Milliseconds(300);
// Within kPaceAfter after a kill, the other workers must run at least kPace
// times as many steps per second as before the kill.
constexpr double kPace = 0.6;
constexpr absl::Duration kPaceAfter = absl::Seconds(2);
constexpr absl::Duration kPatience = absl::Seconds(60);

// Holds generated examples for training. A linear model can classify most of
// them correctly.
struct Examples {
  Tensor features = Tensor::Filled(Shape{kExamples, kFeatures}, 0.0f);
  Tensor labels = Tensor::Filled<int32_t>(Shape{kExamples}, 0);
};

Examples MakeExamples() {
  std::mt19937 random(1);
  const auto uniform = [&random](float limit) {
    return limit * (static_cast<float>(random() >> 8) / (1 << 23) - 1);
  };
  float weights[kFeatures][kClasses];
  for (auto& of_feature : weights) {
    for (float& weight : of_feature) weight = uniform(3);
  }
  std::vector<float> features;
  std::vector<int32_t> labels;
  for (int i = 0; i < kExamples; ++i) {
    float scores[kClasses];
    for (float& score : scores) score = uniform(2);  // noise, not learnable
    for (const auto& of_feature : weights) {
      features.push_back(uniform(1));
      for (int j = 0; j < kClasses; ++j) {
        scores[j] += features.back() * of_feature[j];
      }
    }
    labels.push_back(static_cast<int32_t>(
        std::max_element(scores, scores + kClasses) - scores));
  }
  return {.features =
              Tensor::FromSpan<float>(Shape{kExamples, kFeatures}, features),
          .labels = Tensor::FromSpan<int32_t>(Shape{kExamples}, labels)};
}

struct Model {
  Graph graph{BuiltinOps()};
  std::string train = {};
  std::string global_step = {};
  std::string loss = {};
  std::string accuracy = {};
  std::string uninitialized = {};
};

// All workers train on all examples. So the best model is the same, whichever
// workers' gradients are applied.
absl::StatusOr<Model> MakeModel(int worker) {
  GraphBuilder b;
  b.SetSeed(1);
  const Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
      {.ps_tasks = kPs,
       .worker_device = absl::StrCat("/job:worker/task:", worker)}));
  const Examples examples = MakeExamples();
  const Output labels = b.Const(examples.labels, "labels");
  const Output logits =
      nn::Dense(b.Const(examples.features, "features"), {.units = kClasses});
  const Output loss = nn::SparseSoftmaxCrossEntropy(labels, logits);
  const Output right =
      op::Equal(op::ArgMax(logits, 1, {.output_type = DType::kInt32}), labels);
  const Output accuracy = nn::MeanOfAll(op::Cast(right, DType::kFloat));
  const Variable step = nn::GlobalStep(b);
  const Operation train =
      nn::GradientDescent(nn::GradientDescentAttrs{.learning_rate = 0.6f})
          .Minimize(loss, {.global_step = step});
  const Output missing = UninitializedVariables(b);
  LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
  return Model{.graph = std::move(graph),
               .train = train.name(),
               .global_step = TensorName(step.value()).text,
               .loss = TensorName(loss).text,
               .accuracy = TensorName(accuracy).text,
               .uninitialized = TensorName(missing).text};
}

struct Learned {
  double loss = 0;
  double accuracy = 0;
};

// Trains a model on a cluster of its own.
class Training {
 public:
  Training() {
    for (int i = 0; i < kWorkers; ++i) {
      auto model = MakeModel(i);
      EXPECT_TRUE(model.ok()) << model.status();
      if (!model.ok()) return;
      if (i == 0) model_ = *model;
      workers_.push_back(std::make_unique<TrainingWorker>(Program(*model, i)));
    }
    for (const auto& worker : workers_) EXPECT_TRUE(worker->Advances(20));
  }

  // Kills the task of a random worker at a random time and restarts the task.
  void KillOne(std::mt19937& random) {
    const auto victim = static_cast<size_t>(random() % workers_.size());
    const TaskId task = {"worker", static_cast<int>(victim)};
    absl::SleepFor(absl::Microseconds(random() % 100'000));
    const double before = PaceOfOthers(victim);
    workers_[victim]->ForgetFailures();
    const absl::Time killed = absl::Now();
    cluster_.Kill(task);
    ASSERT_TRUE(workers_[victim]->Fails());
    const auto failure = *workers_[victim]->failure();
    EXPECT_EQ(failure.status.code(), Code::kUnavailable) << failure.status;
    EXPECT_THAT(std::string(failure.status.message()),
                HasSubstr(cluster_.Address(task)));
    for (size_t i = 0; i < workers_.size(); ++i) {
      EXPECT_TRUE(i == victim || workers_[i]->Advances(20)) << i;
    }
    double after = 0;
    do {
      after = std::max(after, PaceOfOthers(victim));
    } while (after < kPace * before && absl::Now() < killed + kPaceAfter);
    // `before` may be below 1, because no step may end within kWindow on a busy
    // machine.
    paces_.push_back(after / std::max(before, 1.0));
    cluster_.Start(task);
    EXPECT_TRUE(workers_[victim]->Advances(20));
    std::cout << "worker " << victim << " killed: noticed after "
              << failure.when - killed << ", back after "
              << absl::Now() - killed << "; the others: " << before
              << " steps/s before, " << after << " without it\n";
    workers_[victim]->ForgetFailures();
    for (const auto& worker : workers_) {
      const auto other = worker->failure();
      EXPECT_FALSE(other.has_value()) << other->status;
    }
  }

  // Ends the training and the cluster after at least kSteps steps. Returns the
  // loss and the accuracy of the model.
  Learned Finish() {
    EXPECT_TRUE(Becomes([this] { return global_step_ >= kSteps; }, kPatience))
        << global_step_;
    int64_t begun = 0;
    int64_t done = 0;
    for (const auto& worker : workers_) {
      worker->Stop();
      begun += worker->begun();
      done += worker->done();
    }
    workers_.clear();
    const Learned learned = Evaluate(done, begun);
    cluster_.ExpectIdle();
    cluster_.End();
    return learned;
  }

  // Returns a ratio for each kill: the steps per second of the other workers
  // after the kill, divided by their steps per second before the kill.
  const std::vector<double>& paces() const { return paces_; }

 private:
  TrainingWorker::Program Program(const Model& model, int worker) {
    return {
        .graph = model.graph,
        .session = {.session = WorkerSessionOptions(cluster_, worker),
                    .init = model.graph.init_op(),
                    .uninitialized = model.uninitialized,
                    .is_chief = worker == 0,
                    .give_up = std::chrono::seconds(60),
                    .longest_pause = std::chrono::milliseconds(200)},
        .step = [args = RunArgs{.fetches = {model.global_step},
                                .targets = {model.train}}](
                    int64_t) { return args; },
        .done =
            [this,
             last = int64_t{0}](const std::vector<Tensor>& fetched) mutable {
              const int64_t step = fetched[0].scalar<int64_t>();
              EXPECT_GE(step, last);  // variables that were reset begin at 0
              last = step;
              global_step_ = step;
            }};
  }

  // Returns the steps per second of all workers except `victim`.
  double PaceOfOthers(size_t victim) const {
    const auto done = [this, victim] {
      int64_t sum = 0;
      for (size_t i = 0; i < workers_.size(); ++i) {
        if (i != victim) sum += workers_[i]->done();
      }
      return sum;
    };
    const int64_t begin = done();
    const absl::Time started = absl::Now();
    absl::SleepFor(kWindow);
    return static_cast<double>(done() - begin) /
           absl::ToDoubleSeconds(absl::Now() - started);
  }

  Learned Evaluate(int64_t done, int64_t begun) const {
    SessionOptions options = WorkerSessionOptions(cluster_, 0);
    // All tasks run, so connecting takes this long only on a slow machine.
    options.connect_timeout = std::chrono::seconds(30);
    auto session = NewSession(model_.graph, options);
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return {};
    const auto result = (*session)->Run(
        {.fetches = {model_.loss, model_.accuracy, model_.global_step}});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    const int64_t steps = (*result)[2].scalar<int64_t>();
    EXPECT_GE(steps, done);
    EXPECT_LE(steps, begun);
    const Learned learned = {.loss = (*result)[0].scalar<float>(),
                             .accuracy = (*result)[1].scalar<float>()};
    std::cout << "after " << steps << " steps: loss " << learned.loss
              << ", accuracy " << learned.accuracy << "\n";
    return learned;
  }

  ServedCluster cluster_{absl::StrCat("worker=", kWorkers, ",ps=", kPs),
                         {"--grace=1"}};
  Model model_;
  std::atomic<int64_t> global_step_{0};
  std::vector<double> paces_;
  // Is declared last, so that the workers end before the members that they use.
  std::vector<std::unique_ptr<TrainingWorker>> workers_;
};

// Returns the median, or the greater of the two middle values if the number of
// values is even. REQUIRES: `values` is not empty.
double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

TEST(AsyncFaultsTest, WhatIsLearnedIsNotLessForKilledWorkers) {
  const Learned expected = Training().Finish();
  EXPECT_LT(expected.loss, 1);  // an untrained model has a loss of 1.39
  EXPECT_GT(expected.accuracy, 0.6);

  // Is the number of kills per seed. A test with more than two seeds is the
  // long version, so it kills more often.
  const int kills = NumSeeds() > 2 ? 20 : 2;
  std::vector<double> paces;
  for (int seed = 1; seed <= NumSeeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    Training training;
    for (int i = 0; i < kills && !HasFailure(); ++i) training.KillOne(random);
    const Learned learned = training.Finish();
    const std::vector<double>& of_seed = training.paces();
    ASSERT_FALSE(of_seed.empty());
    std::cout << kills << " killed, pace of the others "
              << 100 * Median(of_seed) << " % of before, at least "
              << 100 * *std::min_element(of_seed.begin(), of_seed.end())
              << " %\n";
    paces.insert(paces.end(), of_seed.begin(), of_seed.end());
    EXPECT_NEAR(learned.loss, expected.loss, 0.01 * expected.loss);
    EXPECT_NEAR(learned.accuracy, expected.accuracy, 0.01);
  }
  // If the other workers waited for the dead worker, they would be slow after
  // every kill. Other work on the machine may slow them after some kills, so
  // the test checks the median.
  ASSERT_FALSE(paces.empty());
  EXPECT_GE(Median(paces), kPace);
}

}  // namespace
}  // namespace leat::async_faults_test
