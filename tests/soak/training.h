// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckedTraining trains on the cluster while the soak disturbs it. Afterwards
// the variables show which gradients were applied (TracedModel). So
// CheckedTraining can check that exactly the right gradients were applied.
#ifndef LEAT_TESTS_SOAK_TRAINING_H_
#define LEAT_TESTS_SOAK_TRAINING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/tests/cluster/traced_model.h"
#include "leat/tests/cluster/training_worker.h"
#include "leat/tests/soak/cluster.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"

namespace leat::soak {

// Is not thread-safe. If an expectation does not hold, the function that
// expects it makes the test fail.
class CheckedTraining {
 public:
  // Begins a synchronous or asynchronous training. The cluster must have no
  // variables yet.
  CheckedTraining(SoakCluster& cluster, bool is_sync);

  // Waits until each worker has succeeded in `steps` further steps. If a worker
  // needs more than a minute, makes the test fail and returns false.
  bool ExpectAdvances(int64_t steps) const;
  // Ends the training. Expects that the variables have the correct values, and
  // that each error of a worker names a task. If there is a victim and there
  // are errors, expects that one of them names the victim. If `is_noticed` is
  // true, expects that there are errors. Removes the variables.
  void Finish(const std::optional<TaskId>& victim, bool is_noticed);

  // Returns the numbers of steps, sessions and errors of all workers until now.
  int64_t steps() const;
  int64_t sessions() const;
  int64_t errors() const;

 private:
  // Describes the gradient of one step.
  struct Gradient {
    int32_t row = 0;
    int generation = 0;
  };

  testing::TrainingWorker::Program Program(const testing::TracedModel& model,
                                           int worker);
  RecoverableSessionOptions SessionOf(const testing::TracedModel& model,
                                      int worker);
  // Connect makes a session, and Reset clears the tasks, as a
  // RecoverableSession does by default. Both also update the counters below.
  absl::StatusOr<std::shared_ptr<Session>> Connect(
      const Graph& graph, const SessionOptions& options, bool is_chief);
  absl::Status Reset(const SessionOptions& options);

  // Waits for the values of `w`, `seen` and the global step. If there are none,
  // makes the test fail and returns an empty list.
  std::vector<Tensor> Values() const;
  void ExpectSyncValues(const std::vector<Tensor>& values) const;
  void ExpectAsyncValues(const std::vector<Tensor>& values) const;
  // Returns the rows of the gradients that were computed since the variables
  // were last initialized.
  std::vector<int32_t> Rows() const;
  void ExpectNamedTasks() const;
  void ExpectNamed(const TaskId& victim, bool is_noticed) const;
  // Returns whether the error contains the name or the address of the task.
  bool Names(const absl::Status& error, const TaskId& task) const;
  // Returns the last error of a step, or OK.
  absl::Status last_error() const;
  int64_t begun() const;

  SoakCluster& cluster_;
  const bool is_sync_;
  testing::TracedModel model_;  // of the chief

  mutable Mutex mutex_;
  // Grows when the chief begins to clear the tasks, and again when it has
  // cleared them.
  int generation_ ABSL_GUARDED_BY(mutex_) = 0;
  // Is the number of sessions of the chief since `generation_` last grew.
  int64_t chief_sessions_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t sessions_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Gradient> done_ ABSL_GUARDED_BY(mutex_);
  std::vector<absl::Status> errors_ ABSL_GUARDED_BY(mutex_);
  // Is declared last, so that the workers end before the members that they use.
  std::vector<std::unique_ptr<testing::TrainingWorker>> workers_;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_TRAINING_H_
