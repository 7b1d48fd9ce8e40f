// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/plan_wait.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/step_deadline.h"

namespace leat {
namespace {

// A PlanWait is one wait. The table of plans owns the wait until the wait is
// over. The callbacks of the timer and of the client's cancellation refer
// weakly to the wait.
class PlanWait : public std::enable_shared_from_this<PlanWait> {
 public:
  PlanWait(const std::shared_ptr<RegisteredPlans>& plans, std::string key,
           TimerQueue& timers, const Patience& patience,
           RegisteredPlans::Done done)
      : plans_(plans),
        key_(std::move(key)),
        timers_(timers),
        patience_(patience),
        done_(std::move(done)) {}

  // Sets the timer and registers with the client's cancellation. Does nothing
  // if the wait is already over. `ticket` is the ticket of the wait in the
  // table.
  void Start(RegisteredPlans::Ticket ticket) {
    absl::Status gone;
    {
      // The timer and the cancellation may call GiveUp at once, on another
      // thread. The lock makes GiveUp wait until `ticket_`, `timer_` and
      // `token_` are set.
      MutexLock lock(mutex_);
      if (done_ == nullptr) return;
      ticket_ = ticket;
      if (patience_.deadline.has_value()) {
        timer_ = timers_.At(patience_.deadline->at, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) {
            self->GiveUp(TooLateToBegin(*self->patience_.deadline));
          }
        });
      }
      if (patience_.call != nullptr) {
        Cancellation& client = patience_.call->cancellation;
        Cancellation::Token token = 0;
        if (client.Register(
                [weak = weak_from_this()](const absl::Status& why) {
                  if (const auto self = weak.lock()) self->GiveUp(why);
                },
                &token)) {
          token_ = token;
        } else {
          gone = client.status();
        }
      }
    }
    if (!gone.ok()) GiveUp(gone);
  }

  // Ends the wait with the table's result.
  void End(absl::StatusOr<RegisteredPlans::Plan> plan) {
    RegisteredPlans::Ticket ticket = 0;
    RegisteredPlans::Done done = Take(ticket);
    if (done != nullptr) std::move(done)(std::move(plan));
  }

 private:
  // Ends the wait early with `why` and removes the wait from the table.
  void GiveUp(const absl::Status& why) {
    RegisteredPlans::Ticket ticket = 0;
    RegisteredPlans::Done done = Take(ticket);
    if (done == nullptr) return;
    if (const auto plans = plans_.lock()) plans->Leave(key_, ticket);
    std::move(done)(why);
  }

  // Cancels the timer, deregisters from the cancellation, and sets `ticket` to
  // the ticket of the wait. Returns `done_`, or null if the wait is over
  // already.
  RegisteredPlans::Done Take(RegisteredPlans::Ticket& ticket) {
    RegisteredPlans::Done done;
    std::optional<TimerQueue::Id> timer;
    std::optional<Cancellation::Token> token;
    {
      MutexLock lock(mutex_);
      done = std::exchange(done_, nullptr);
      ticket = ticket_;
      timer = std::exchange(timer_, std::nullopt);
      token = std::exchange(token_, std::nullopt);
    }
    if (timer.has_value()) timers_.Cancel(*timer);
    if (token.has_value()) patience_.call->cancellation.Deregister(*token);
    return done;
  }

  const std::weak_ptr<RegisteredPlans> plans_;  // the owner of this
  const std::string key_;
  TimerQueue& timers_;
  const Patience patience_;

  Mutex mutex_;
  RegisteredPlans::Done done_ ABSL_GUARDED_BY(mutex_);  // null after Take
  RegisteredPlans::Ticket ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<TimerQueue::Id> timer_ ABSL_GUARDED_BY(mutex_);
  std::optional<Cancellation::Token> token_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

void WaitForPlan(const std::shared_ptr<RegisteredPlans>& plans,
                 const std::string& key, int64_t graph_version,
                 RegisteredPlans::Make make, TimerQueue& timers,
                 const Patience& patience, RegisteredPlans::Done done) {
  const auto wait =
      std::make_shared<PlanWait>(plans, key, timers, patience, std::move(done));
  wait->Start(plans->Get(key, graph_version, std::move(make),
                         [wait](absl::StatusOr<RegisteredPlans::Plan> plan) {
                           wait->End(std::move(plan));
                         }));
}

}  // namespace leat
