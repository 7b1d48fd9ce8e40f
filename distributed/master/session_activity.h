// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionActivity: what is under way in a master's session. It knows whether
// the session is open and when it was used last. When the session is closed, it
// calls back once nothing is under way any more.
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

// Thread-safe. Shares the ownership of the steps that run.
class SessionActivity {
 public:
  // `clock` must outlive this.
  explicit SessionActivity(Clock& clock) : clock_(clock), used_(clock.Now()) {}

  // Notes that the session is being used. Returns OK while it is open, and else
  // why it was closed.
  absl::Status Touch();

  // Adds something that is under way, which is a step, a plan that is being
  // made or an extension, and returns its number for End. Once the session is
  // closed, returns the reason instead.
  absl::StatusOr<int64_t> Begin();
  // Sets the step that was begun as `number`, so that Close finds it. If the
  // session was closed meanwhile, returns why, and the caller has to cancel the
  // step. Does nothing if the step has ended already.
  absl::Status SetStep(int64_t number, std::shared_ptr<MasterStep> step);
  // Removes what was begun as `number`.
  void End(int64_t number);

  // What Close found.
  struct Closing {
    int64_t number = 0;
    std::vector<std::shared_ptr<MasterStep>> steps = {};  // to be cancelled
  };
  // Closes the session. Begin and Touch return `why` (not OK) from now on. The
  // closing is under way itself, until the caller ends it by its number.
  // `when_idle` is called by the call of End after which nothing is under way.
  // REQUIRES: called once.
  Closing Close(absl::Status why, absl::AnyInvocable<void() &&> when_idle);

  // Returns the time since which nothing has been under way and nobody has
  // called Touch. Returns now if something is under way.
  Clock::time_point idle_since() const;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK while open
  absl::AnyInvocable<void() &&> when_idle_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point used_ ABSL_GUARDED_BY(mutex_);
  // Maps the numbers that Begin has returned, and End has not yet got, to
  // steps. A step is null before it has started and for what is not a step.
  absl::flat_hash_map<int64_t, std::shared_ptr<MasterStep>> running_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_ACTIVITY_H_
