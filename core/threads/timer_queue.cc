// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/timer_queue.h"

#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"

namespace leat {

class TimerQueue::Implementation {
 public:
  Implementation(absl::string_view thread_name, Clock& clock)
      : clock_(clock), thread_(thread_name, [this] { Run(); }) {}

  ~Implementation() {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    wake_.NotifyOne();
    thread_.Join();
  }

  Id At(Clock::time_point when, Callback callback) {
    MutexLock lock(mutex_);
    const Id id = ++last_id_;
    const auto entry =
        entries_.emplace(Place{when, id}, std::move(callback)).first;
    times_.emplace(id, when);
    if (entry == entries_.begin()) wake_.NotifyOne();
    return id;
  }

  bool Cancel(Id id) {
    // `forgotten` is declared before the lock, so it is destroyed after the
    // unlock. This is necessary because the destructors of the objects that a
    // callback owns may run any code.
    Callback forgotten;
    MutexLock lock(mutex_);
    const auto time = times_.find(id);
    if (time == times_.end()) return false;
    const auto entry = entries_.find({time->second, id});
    forgotten = std::move(entry->second);
    entries_.erase(entry);
    times_.erase(time);
    return true;
  }

 private:
  // Is the key of an entry. Entries with equal times run in the order in which
  // they were added, because ids ascend.
  using Place = std::pair<Clock::time_point, Id>;

  void Run() {
    while (true) {
      Callback callback;
      if (!Next(callback)) return;
      std::move(callback)();
    }
  }

  // Waits until a callback is due and takes it. Returns false when the queue is
  // stopping.
  bool Next(Callback& callback) {
    MutexLock lock(mutex_);
    while (!stopping_) {
      if (entries_.empty()) {
        wake_.Wait(mutex_);
        continue;
      }
      const auto first = entries_.begin();
      const Clock::time_point when = first->first.first;
      if (when > clock_.Now()) {
        clock_.WaitUntil(wake_, mutex_, when);
        continue;
      }
      callback = std::move(first->second);
      times_.erase(first->first.second);
      entries_.erase(first);
      return true;
    }
    return false;
  }

  Clock& clock_;
  Mutex mutex_;
  CondVar wake_;  // notified when the first entry or stopping_ changes
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Id last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Place, Callback> entries_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Id, Clock::time_point> times_ ABSL_GUARDED_BY(mutex_);
  Thread thread_;  // must be the last member: it uses all of the above
};

TimerQueue::TimerQueue(absl::string_view thread_name, Clock& clock)
    : clock_(clock),
      implementation_(std::make_unique<Implementation>(thread_name, clock)) {}

TimerQueue::~TimerQueue() = default;

TimerQueue::Id TimerQueue::At(Clock::time_point when, Callback callback) {
  return implementation_->At(when, std::move(callback));
}

TimerQueue::Id TimerQueue::After(Clock::duration time, Callback callback) {
  return At(clock_.After(time), std::move(callback));
}

bool TimerQueue::Cancel(Id id) { return implementation_->Cancel(id); }

}  // namespace leat
