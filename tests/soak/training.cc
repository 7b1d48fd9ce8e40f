// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/client/remote_session.h"

namespace leat::soak {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using testing::GradientsByMean;
using testing::kMaxTracedGradients;
using ::testing::Le;
using testing::MakeTracedModel;
using testing::TracedModel;
using testing::TracedRow;
using testing::TrainingWorker;
using testing::WorkerSessionOptions;

constexpr absl::Duration kPatience = absl::Seconds(60);
constexpr absl::Duration kPause = absl::Milliseconds(20);
// 256 KiB, which travel in 16 pieces.
constexpr int64_t kElements = 64 << 10;
// The gradients that synchronous training may drop although their steps have
// succeeded: those of the last step, which the chief has not applied yet, and
// some after each session that was lost, because they came too late.
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
  // The gradient of the step that runs. The worker's thread calls both
  // functions.
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
  // All workers are waited for together, because they advance together.
  bool all = !workers_.empty();
  for (const auto& worker : workers_) all = worker->Advances(steps) && all;
  EXPECT_TRUE(all) << "the training stands still";
  return all;
}

void CheckedTraining::Finish(const std::string& named) {
  for (auto worker = workers_.rbegin(); worker != workers_.rend(); ++worker) {
    (*worker)->Stop();
  }
  const std::vector<Tensor> values = Values();
  if (values.size() == 3) {
    is_sync_ ? ExpectSyncValues(values) : ExpectAsyncValues(values);
  }
  ExpectNamedTasks(named);
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
    // A connection of this process may be one that the fault has broken.
    if (!IsRecoverable(values.status())) break;
    absl::SleepFor(kPause);
  } while (absl::Now() < deadline);
  EXPECT_TRUE(values.ok()) << values.status();
  return values.value_or(std::vector<Tensor>());
}

void CheckedTraining::ExpectSyncValues(
    const std::vector<Tensor>& values) const {
  const int64_t steps = values[2].scalar<int64_t>();
  int64_t takeovers = 0;
  int64_t sessions = 0;
  {
    MutexLock lock(mutex_);
    takeovers = chief_sessions_ - 1;
    sessions = sessions_;
  }
  // Each takeover of the chief may have added one to the global step. The last
  // update may have been interrupted before the global step counted it.
  const auto matches = AllOf(Ge(static_cast<double>(steps - takeovers)),
                             Le(static_cast<double>(steps + 1)));
  const absl::Span<const float> w = values[0].data<float>();
  EXPECT_THAT(-w[0], matches);
  EXPECT_EQ(w[0], std::round(w[0]));
  EXPECT_EQ(std::count(w.begin(), w.end(), w[0]), kElements);
  int64_t gradients = 0;
  double means = 0;
  int64_t large_means = 0;
  for (const auto& [of, count] : GradientsByMean(values[1])) {
    EXPECT_GE(of, kWorkers) << "gradients in a mean";
    EXPECT_EQ(count % of, 0) << count << " gradients in means of " << of;
    if (of > kWorkers) large_means += count / of;
    gradients += count;
    means += static_cast<double>(count / of);
  }
  EXPECT_THAT(means, matches);
  // A worker with a new session may give a second gradient to a step.
  EXPECT_LE(large_means, sessions);
  EXPECT_LE(gradients, begun());
  EXPECT_GE(gradients, static_cast<int64_t>(Rows().size()) - kDroppedAtEnd -
                           kDroppedPerSession * (sessions - kWorkers))
      << "gradients of steps that have succeeded";
}

void CheckedTraining::ExpectAsyncValues(
    const std::vector<Tensor>& values) const {
  const std::vector<int32_t> rows = Rows();
  const absl::Span<const float> seen = values[1].data<float>();
  int64_t missing = 0;
  for (const int32_t row : rows) {
    if (seen[static_cast<size_t>(row)] != -1) ++missing;
  }
  EXPECT_EQ(missing, 0) << "gradients of steps that have succeeded";
  const auto applied = std::count(seen.begin(), seen.end(), -1.0f);
  EXPECT_EQ(applied + std::count(seen.begin(), seen.end(), 0.0f),
            kMaxTracedGradients)
      << "gradients that were not applied, or once";
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

void CheckedTraining::ExpectNamedTasks(const std::string& named) const {
  MutexLock lock(mutex_);
  bool is_named = named.empty();
  for (const absl::Status& error : errors_) {
    const absl::string_view message = error.message();
    bool names_any = absl::StrContains(message, "/job:");
    for (const TaskId& task : cluster_.tasks()) {
      names_any |= absl::StrContains(message, cluster_.served().Address(task));
    }
    EXPECT_TRUE(names_any) << "an error names no task: " << error;
    is_named |= absl::StrContains(message, named);
  }
  EXPECT_TRUE(is_named) << "none of " << errors_.size() << " errors names "
                        << named;
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
