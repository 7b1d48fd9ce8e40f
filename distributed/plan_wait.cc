// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/plan_wait.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"

namespace leat {
namespace {

class PlanWait : public std::enable_shared_from_this<PlanWait> {
 public:
  PlanWait(TimerQueue& timers, const Patience& patience, PlanTable::Done done)
      : timers_(timers), patience_(patience), done_(std::move(done)) {}

  void Start() {
    absl::Status gone;
    {
      // What is registered here may end the wait at once, which waits until it
      // is known what to take back.
      MutexLock lock(mutex_);
      if (patience_.deadline.has_value()) {
        timer_ = timers_.At(patience_.deadline->at, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) {
            self->End(TooLateToBegin(*self->patience_.deadline));
          }
        });
      }
      if (patience_.call != nullptr) {
        Cancellation& client = patience_.call->cancellation;
        Cancellation::Token token = 0;
        if (client.Register(
                [weak = weak_from_this()](const absl::Status& why) {
                  if (const auto self = weak.lock()) self->End(why);
                },
                &token)) {
          token_ = token;
        } else {
          gone = client.status();
        }
      }
    }
    if (!gone.ok()) End(gone);
  }

  void End(absl::StatusOr<PlanTable::Plan> plan) {
    PlanTable::Done done;
    std::optional<TimerQueue::Id> timer;
    std::optional<Cancellation::Token> token;
    {
      MutexLock lock(mutex_);
      if (done_ == nullptr) return;
      done = std::exchange(done_, nullptr);
      timer = std::exchange(timer_, std::nullopt);
      token = std::exchange(token_, std::nullopt);
    }
    if (timer.has_value()) timers_.Cancel(*timer);
    if (token.has_value()) patience_.call->cancellation.Deregister(*token);
    std::move(done)(std::move(plan));
  }

 private:
  TimerQueue& timers_;
  const Patience patience_;

  Mutex mutex_;
  PlanTable::Done done_ ABSL_GUARDED_BY(mutex_);  // null once it is called
  std::optional<TimerQueue::Id> timer_ ABSL_GUARDED_BY(mutex_);
  std::optional<Cancellation::Token> token_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::Status TooLateToBegin(const StepDeadline& deadline) {
  return absl::DeadlineExceededError(
      absl::StrCat("the step's timeout of ",
                   absl::FormatDuration(absl::FromChrono(deadline.timeout)),
                   " was over before it could begin"));
}

PlanTable::Done WaitForPlan(TimerQueue& timers, const Patience& patience,
                            PlanTable::Done done) {
  auto wait = std::make_shared<PlanWait>(timers, patience, std::move(done));
  wait->Start();
  return [wait = std::move(wait)](absl::StatusOr<PlanTable::Plan> plan) {
    wait->End(std::move(plan));
  };
}

}  // namespace leat
