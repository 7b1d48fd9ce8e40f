// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionActivity tracks the work under way in a master's session, when the
// session was last used, and whether the session is open. After Close, it calls
// a function as soon as no work is under way.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_ACTIVITY_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_ACTIVITY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"

namespace leat {

class MasterStep;

// Is thread-safe. Shares the ownership of the steps that run.
class SessionActivity {
 public:
  // `clock` must outlive this.
  explicit SessionActivity(Clock& clock) : clock_(clock), used_(clock.Now()) {}

  // Notes that the session is being used. Returns OK while the session is open,
  // otherwise the reason of Close.
  absl::Status Touch();

  // Counts a step, an extension, or the making of a plan as under way. Returns
  // a number, which the caller must pass to End. After Close, returns the
  // reason of Close instead.
  absl::StatusOr<int64_t> Begin();
  // Sets the step for which Begin returned `number`, so that Close finds the
  // step. If the session was closed meanwhile, returns the reason of Close, and
  // the caller has to cancel the step. Does nothing if the step has ended
  // already.
  absl::Status SetStep(int64_t number, std::shared_ptr<MasterStep> step);
  // Ends the work for which Begin returned `number`.
  void End(int64_t number);

  // Returns the number that the next Begin will return.
  int64_t next_number() const;
  // Steps returns all steps that run. StepsBefore returns only the steps with a
  // number below `number`.
  std::vector<std::shared_ptr<MasterStep>> Steps() const;
  std::vector<std::shared_ptr<MasterStep>> StepsBefore(int64_t number) const;

  // Holds the result of Close.
  struct Closing {
    int64_t number = 0;
    std::vector<std::shared_ptr<MasterStep>> steps = {};  // to be cancelled
  };
  // Closes the session. Begin and Touch return `why` (not OK) from now on.
  // Close itself counts as under way, until the caller passes `Closing::number`
  // to End. The call of End that leaves nothing under way calls `when_idle`.
  // REQUIRES: this is called once.
  Closing Close(absl::Status why, absl::AnyInvocable<void() &&> when_idle);

  // Returns the time of the last Touch or End. Returns the current time if
  // something is under way.
  Clock::time_point idle_since() const;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK while open
  absl::AnyInvocable<void() &&> when_idle_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point used_ ABSL_GUARDED_BY(mutex_);
  // Maps each number that is under way to its step. The step is null until
  // SetStep is called. It stays null for work that is not a step.
  absl::flat_hash_map<int64_t, std::shared_ptr<MasterStep>> running_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_ACTIVITY_H_
