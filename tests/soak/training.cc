// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/training.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/tests/cluster/served_cluster.h"

namespace leat::soak {
namespace {

using ::testing::AllOf;
using testing::Becomes;
using testing::ExpectExactMeans;
using ::testing::Ge;
using testing::kMaxTracedGradients;
using ::testing::Le;
using testing::MakeTracedModel;
using testing::TracedMeans;
using testing::TracedModel;
using testing::TracedRow;
using testing::TrainingWorker;
using testing::WorkerSessionOptions;

constexpr absl::Duration kPatience = absl::Seconds(60);
constexpr absl::Duration kPause = absl::Milliseconds(20);
// The tensors have 256 KiB and are sent in 16 pieces.
constexpr int64_t kElements = 64 << 10;
// Synchronous training can drop the gradients of steps that have succeeded:
// up to kDroppedAtEnd gradients that the chief has not applied at the end of
// the training, and up to kDroppedPerSession late gradients for each lost
// session.
constexpr int64_t kDroppedAtEnd = 4;
constexpr int64_t kDroppedPerSession = 4;

}  // namespace

CheckedTraining::CheckedTraining(SoakCluster& cluster, bool is_sync)
    : cluster_(cluster), is_sync_(is_sync) {
  testing::TracedModelOptions options = {.num_ps = kPs,
                                         .num_elements = kElements};
  if (is_sync) options.sync = {.replicas_to_aggregate = kWorkers};
  for (int i = 0; i < kWorkers; ++i) {
    auto model = MakeTracedModel(i, options);
    EXPECT_TRUE(model.ok()) << model.status();
    if (!model.ok()) return;
    workers_.push_back(std::make_unique<TrainingWorker>(Program(*model, i)));
    if (i == 0) model_ = *std::move(model);
  }
}

TrainingWorker::Program CheckedTraining::Program(const TracedModel& model,
                                                 int worker) {
  // Is the gradient of the current step. `step` sets it and `done` reads it.
  // Both run on the worker's thread.
  const auto current = std::make_shared<Gradient>();
  return {.graph = model.graph,
          .session = SessionOf(model, worker),
          .step = [this, current, worker, feed = model.row, loss = model.loss,
                   train = model.train](int64_t i) -> RunArgs {
            MutexLock lock(mutex_);
            *current = {.row = TracedRow(worker, i), .generation = generation_};
            return {.feeds = {{feed, Tensor::Vector<int32_t>({current->row})}},
                    .fetches = {loss},
                    .targets = {train}};
          },
          .done =
              [this, current](const std::vector<Tensor>&) {
                MutexLock lock(mutex_);
                done_.push_back(*current);
              },
          .failed =
              [this](const absl::Status& error) {
                MutexLock lock(mutex_);
                errors_.push_back(error);
              }};
}

RecoverableSessionOptions CheckedTraining::SessionOf(const TracedModel& model,
                                                     int worker) {
  const bool is_chief = worker == 0;
  return {
      .session = WorkerSessionOptions(cluster_.served(), worker),
      .init = model.graph.init_op(),
      .uninitialized = model.uninitialized,
      .local_init = model.local_init,
      .loop = is_chief ? model.chief_step : "",
      .is_chief = is_chief,
      .reinitialize = true,
      .give_up = std::chrono::seconds(60),
      .longest_pause = std::chrono::milliseconds(500),
      .check_every = std::chrono::seconds(1),
      .new_session =
          [this, is_chief](const Graph& graph, const SessionOptions& options) {
            return Connect(graph, options, is_chief);
          },
      .reset =
          [this](const SessionOptions& options) { return Reset(options); }};
}

absl::StatusOr<std::shared_ptr<Session>> CheckedTraining::Connect(
    const Graph& graph, const SessionOptions& options, bool is_chief) {
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Session> session,
                        NewSession(graph, options));
  MutexLock lock(mutex_);
  ++sessions_;
  if (is_chief) ++chief_sessions_;
  return session;
}

absl::Status CheckedTraining::Reset(const SessionOptions& options) {
  const auto next = [this] {
    MutexLock lock(mutex_);
    ++generation_;
    chief_sessions_ = 0;
  };
  next();
  const absl::Status status = ResetTasks(
      options.target.text, {.device_filters = options.device_filters,
                            .connect_timeout = options.connect_timeout,
                            .cancellation = options.cancellation,
                            .on_waiting = options.on_waiting});
  next();
  return status;
}

bool CheckedTraining::ExpectAdvances(int64_t steps) const {
  std::vector<int64_t> enough;
  for (const auto& worker : workers_) enough.push_back(worker->done() + steps);
  const auto all_advance = [&] {
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i]->done() < enough[i]) return false;
    }
    return !workers_.empty();
  };
  const bool all = Becomes(all_advance, kPatience);
  EXPECT_TRUE(all) << "the training stands still; its last error: "
                   << last_error();
  return all;
}

void CheckedTraining::Finish(const std::optional<TaskId>& victim,
                             bool is_noticed) {
  for (auto worker = workers_.rbegin(); worker != workers_.rend(); ++worker) {
    (*worker)->Stop();
  }
  const std::vector<Tensor> values = Values();
  if (values.size() == 3) {
    is_sync_ ? ExpectSyncValues(values) : ExpectAsyncValues(values);
  }
  ExpectNamedTasks();
  if (victim.has_value()) ExpectNamed(*victim, is_noticed);
  const absl::Status removed =
      ResetTasks(cluster_.served().Target({"worker", 0}));
  EXPECT_TRUE(removed.ok()) << removed;
}

std::vector<Tensor> CheckedTraining::Values() const {
  absl::StatusOr<std::vector<Tensor>> values;
  const absl::Time deadline = absl::Now() + kPatience;
  do {
    const auto session =
        NewSession(model_.graph, WorkerSessionOptions(cluster_.served(), 0));
    if (session.ok()) {
      values = (*session)->Run(
          {.fetches = {model_.w, model_.seen, model_.global_step}});
    } else {
      values = session.status();
    }
    // The loop tries again, because the fault may have broken a connection of
    // this process.
    if (!IsRecoverable(values.status())) break;
    absl::SleepFor(kPause);
  } while (absl::Now() < deadline);
  EXPECT_TRUE(values.ok()) << values.status();
  return values.value_or(std::vector<Tensor>());
}

void CheckedTraining::ExpectSyncValues(
    const std::vector<Tensor>& values) const {
  int64_t takeovers = 0;
  int64_t sessions = 0;
  {
    MutexLock lock(mutex_);
    takeovers = chief_sessions_ - 1;
    sessions = sessions_;
  }
  const TracedMeans means =
      ExpectExactMeans({.w = values[0],
                        .seen = values[1],
                        .global_step = values[2].scalar<int64_t>()},
                       kWorkers, takeovers);
  // A worker with a new session may add a second gradient to a step.
  EXPECT_LE(means.large, sessions);
  EXPECT_LE(means.gradients, begun());
  EXPECT_GE(means.gradients, static_cast<int64_t>(Rows().size()) -
                                 kDroppedAtEnd -
                                 kDroppedPerSession * (sessions - kWorkers))
      << "too many steps succeeded whose gradients were not applied";
}

void CheckedTraining::ExpectAsyncValues(
    const std::vector<Tensor>& values) const {
  const std::vector<int32_t> rows = Rows();
  const absl::Span<const float> seen = values[1].data<float>();
  int64_t missing = 0;
  for (const int32_t row : rows) {
    if (seen[static_cast<size_t>(row)] != -1) ++missing;
  }
  EXPECT_EQ(missing, 0) << "gradients of steps that succeeded were not applied";
  const auto applied = std::count(seen.begin(), seen.end(), -1.0f);
  EXPECT_EQ(applied + std::count(seen.begin(), seen.end(), 0.0f),
            kMaxTracedGradients)
      << "a gradient was applied more than once, or in part";
  const auto matches = AllOf(Ge(static_cast<double>(rows.size())),
                             Le(static_cast<double>(begun())));
  EXPECT_THAT(static_cast<double>(applied), matches);
  const absl::Span<const float> w = values[0].data<float>();
  EXPECT_THAT(-w[0], matches);
  EXPECT_EQ(std::count(w.begin(), w.end(), w[0]), kElements);
  EXPECT_THAT(static_cast<double>(values[2].scalar<int64_t>()), matches);
}

std::vector<int32_t> CheckedTraining::Rows() const {
  MutexLock lock(mutex_);
  std::vector<int32_t> rows;
  for (const Gradient& each : done_) {
    if (each.generation == generation_) rows.push_back(each.row);
  }
  return rows;
}

void CheckedTraining::ExpectNamedTasks() const {
  MutexLock lock(mutex_);
  for (const absl::Status& error : errors_) {
    bool names_any = absl::StrContains(error.message(), "/job:");
    for (const TaskId& task : cluster_.tasks()) names_any |= Names(error, task);
    EXPECT_TRUE(names_any) << "an error names no task: " << error;
  }
}

void CheckedTraining::ExpectNamed(const TaskId& victim, bool is_noticed) const {
  MutexLock lock(mutex_);
  if (errors_.empty()) {
    EXPECT_FALSE(is_noticed) << "no step has failed";
    return;
  }
  const bool is_named =
      std::any_of(errors_.begin(), errors_.end(),
                  [&](const auto& error) { return Names(error, victim); });
  EXPECT_TRUE(is_named) << "none of " << errors_.size() << " errors names "
                        << victim.ToString()
                        << "; the last: " << errors_.back();
}

bool CheckedTraining::Names(const absl::Status& error,
                            const TaskId& task) const {
  return absl::StrContains(error.message(), task.ToString()) ||
         absl::StrContains(error.message(), cluster_.served().Address(task));
}

absl::Status CheckedTraining::last_error() const {
  MutexLock lock(mutex_);
  return errors_.empty() ? absl::OkStatus() : errors_.back();
}

int64_t CheckedTraining::begun() const {
  int64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->begun();
  return sum;
}

int64_t CheckedTraining::steps() const {
  int64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->done();
  return sum;
}

int64_t CheckedTraining::errors() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(errors_.size());
}

int64_t CheckedTraining::sessions() const {
  MutexLock lock(mutex_);
  return sessions_;
}

}  // namespace leat::soak
