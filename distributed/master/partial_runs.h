// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartialRuns holds the partial runs of a master's session. Clients name each
// run by its handle.
#ifndef LEAT_DISTRIBUTED_MASTER_PARTIAL_RUNS_H_
#define LEAT_DISTRIBUTED_MASTER_PARTIAL_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/runtime/partial_run_progress.h"

namespace leat {

class MasterStep;

// A MasterPartialRun is a partial run, that is, a step to which the master
// sends several calls of RunGraph on each task. Each call feeds and fetches a
// part. Calls under way share the ownership of the run. It is thread-safe.
class MasterPartialRun {
 public:
  // REQUIRES: `plan` is the plan of a partial run.
  explicit MasterPartialRun(std::shared_ptr<const RegisteredPlan> plan);

  const std::shared_ptr<const RegisteredPlan>& plan() const { return plan_; }
  int64_t step_id() const { return step_id_; }

  // Describes a call that has begun. `closes` is true if the call ends the step
  // on the tasks.
  struct BegunCall {
    PartialRunCall call = {};
    bool closes = false;
  };
  // Begins a call, as PartialRunProgress::Begin does. Returns the error of End
  // if End was called. The call that uses the last feed or fetch closes the
  // step, unless earlier calls are still under way. In that case, the call that
  // ends last has to send one more call, which closes the step. So no call
  // reaches a task after the step has ended there.
  absl::StatusOr<BegunCall> BeginCall(
      std::vector<std::pair<std::string, Tensor>> feeds,
      const std::vector<std::string>& fetches);
  // Notes the step of a call. If End was called before, returns the error of
  // End, and the caller has to cancel the step.
  absl::Status AddStep(const std::shared_ptr<MasterStep>& step);
  // Ends a call. Returns true if the caller has to send a call that ends the
  // step.
  bool EndCall();
  // Returns true if End was called.
  bool HasEnded();
  // Cancels the steps of calls under way with the error `why` (not OK). Returns
  // true if tasks may know the step and must be told that it has ended.
  bool End(const absl::Status& why);

 private:
  const std::shared_ptr<const RegisteredPlan> plan_;
  const int64_t step_id_;
  PartialRunProgress progress_;

  Mutex mutex_;
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);  // OK until End
  bool has_begun_ ABSL_GUARDED_BY(mutex_) = false;
  int num_calls_ ABSL_GUARDED_BY(mutex_) = 0;        // calls under way
  bool has_last_ ABSL_GUARDED_BY(mutex_) = false;    // the last call has begun
  bool is_closing_ ABSL_GUARDED_BY(mutex_) = false;  // somebody ends the step
  std::vector<std::weak_ptr<MasterStep>> steps_ ABSL_GUARDED_BY(mutex_);
};

// Is thread-safe. Shares the ownership of the runs.
class PartialRuns {
 public:
  // Limits the number of partial runs of one session that have not ended.
  static constexpr size_t kMaxPartialRuns = 1000;

  // `timers` is borrowed and must outlive this.
  explicit PartialRuns(TimerQueue& timers) : timers_(timers) {}

  // Adds a run and returns its handle. Returns RESOURCE_EXHAUSTED if there are
  // too many, and `why` after Close.
  absl::StatusOr<std::string> Add(std::shared_ptr<MasterPartialRun> run);
  // Sets the timer that ends the run. Remove cancels it.
  void SetTimer(const std::string& handle, TimerQueue::Id timer);
  // Returns the run with this handle. Returns INVALID_ARGUMENT, with
  // TensorFlow's message, if there is none.
  absl::StatusOr<std::shared_ptr<MasterPartialRun>> Find(
      const std::string& handle) const;
  // Forgets a run and returns it, or null if it was forgotten before.
  std::shared_ptr<MasterPartialRun> Remove(const std::string& handle);
  // Forgets all runs and returns them. Add returns `why` (not OK) from now on.
  std::vector<std::shared_ptr<MasterPartialRun>> Close(const absl::Status& why);

 private:
  struct Entry {
    std::shared_ptr<MasterPartialRun> run = {};
    TimerQueue::Id timer = 0;  // 0 if not set
  };
  using Table = absl::flat_hash_map<std::string, Entry>;

  TimerQueue& timers_;
  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK until Close
  Table table_ ABSL_GUARDED_BY(mutex_);
  int64_t next_handle_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_PARTIAL_RUNS_H_
