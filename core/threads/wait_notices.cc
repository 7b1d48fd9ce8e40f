// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/wait_notices.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/core/threads/notice_times.h"

namespace leat {
namespace {

// Is the shortest wait that gets a notice.
constexpr std::chrono::seconds kShortest(1);
// If the last notice was given at most this long before a wait begins, the new
// wait continues with the NoticeTimes of the earlier wait.
constexpr std::chrono::seconds kRecently(30);

}  // namespace

class WaitNotices::State : public std::enable_shared_from_this<State> {
 public:
  State(TimerQueue& timers, Say say, Sentence sentence)
      : timers_(timers),
        say_(std::move(say)),
        sentence_(std::move(sentence)),
        begin_(timers.clock().Now()) {}

  // Plans the first notice. Must be called once, before all other methods.
  void Start() {
    if (say_ == nullptr) return;
    const Clock::time_point begin = begin_.load(std::memory_order_relaxed);
    MutexLock lock(mutex_);
    times_.emplace(begin);
    Plan(begin);
  }

  void Restart(Clock::time_point now) {
    begin_.store(now, std::memory_order_relaxed);
  }

  void End() {
    TimerQueue::Id planned = 0;
    {
      MutexLock lock(mutex_);
      has_ended_ = true;
      while (is_telling_) told_.Wait(mutex_);
      planned = planned_;
    }
    timers_.Cancel(planned);
  }

 private:
  // Returns the time of the next notice of a wait that began at `begin`.
  Clock::time_point Due(Clock::time_point begin) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::max(times_->next(), begin + kShortest);
  }

  void Plan(Clock::time_point begin) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    planned_ =
        timers_.At(Due(begin), [self = shared_from_this()] { self->Tell(); });
  }

  // Gives a notice if one is due, and plans the next call of Tell. Does nothing
  // after End.
  void Tell() {
    const Clock::time_point now = timers_.clock().Now();
    const Clock::time_point begin = begin_.load(std::memory_order_relaxed);
    {
      MutexLock lock(mutex_);
      if (has_ended_) return;
      if (!last_.has_value() || begin > *last_ + kRecently) {
        times_.emplace(begin);
      }
      if (now < Due(begin)) return Plan(begin);
      last_ = now;
      while (times_->next() <= now) times_->Pass();
      is_telling_ = true;
    }
    say_(sentence_(now - begin));
    MutexLock lock(mutex_);
    is_telling_ = false;
    told_.NotifyAll();
    if (!has_ended_) Plan(begin);
  }

  TimerQueue& timers_;
  const Say say_;  // null if there are no notices
  const Sentence sentence_;
  // Is the time at which the current wait began.
  std::atomic<Clock::time_point> begin_;

  Mutex mutex_;
  CondVar told_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  // Is true while Tell gives a notice. End waits until this is false.
  bool is_telling_ ABSL_GUARDED_BY(mutex_) = false;
  // Holds the times of the notices. Start sets them.
  std::optional<NoticeTimes> times_ ABSL_GUARDED_BY(mutex_);
  // Is the time of the last notice.
  std::optional<Clock::time_point> last_ ABSL_GUARDED_BY(mutex_);
  // Is the id of the next call of Tell in `timers_`.
  TimerQueue::Id planned_ ABSL_GUARDED_BY(mutex_) = 0;
};

WaitNotices::WaitNotices(TimerQueue& timers, Say say, Sentence sentence)
    : state_(std::make_shared<State>(timers, std::move(say),
                                     std::move(sentence))) {
  state_->Start();
}

WaitNotices::~WaitNotices() { state_->End(); }

void WaitNotices::Restart(Clock::time_point now) { state_->Restart(now); }

}  // namespace leat
