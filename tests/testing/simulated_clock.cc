// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/simulated_clock.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/time_simulation.h"

namespace leat::testing {
namespace {

using std::chrono::nanoseconds;
using TimePoint = TimeSimulation::TimePoint;

// No time of the machine's own clock is near this one, so that a mixture of the
// two shows.
constexpr TimePoint kStart{std::chrono::hours(1'000'000)};
constexpr std::chrono::hours kLongest(100 * 24);

std::string NameOf(pthread_t thread) {
  char name[16] = "";
  pthread_getname_np(thread, name, sizeof(name));
  return name;
}

}  // namespace

class Simulation final : public TimeSimulation {
 public:
  // Returns null in real time.
  static Simulation* Get() {
    return static_cast<Simulation*>(TimeSimulation::Get());
  }

  void Begin() { Install(); }
  void End() {
    {
      const Lock lock(mutex_);
      if (running_ != 1 || !waiting_.empty()) {
        Fail("Threads are left at the end of the simulation");
      }
    }
    Uninstall();
  }

  TimePoint Now() override {
    const Lock lock(mutex_);
    return now_;
  }

  bool Wait(const void* condition, std::mutex& mutex,
            TimePoint deadline) override {
    Lock lock(mutex_);
    // Nobody can notify before this thread waits, because Notify locks
    // `mutex_`, too.
    mutex.unlock();
    const bool in_time =
        Suspend({.condition = condition, .deadline = deadline}, lock);
    lock.unlock();
    mutex.lock();
    return in_time;
  }

  void Notify(const void* condition, bool all) override {
    const Lock lock(mutex_);
    for (auto waiter = waiting_.begin(); waiter != waiting_.end();) {
      const auto next = std::next(waiter);
      if ((*waiter)->condition == condition) {
        Wake(waiter, true);
        if (!all) return;
      }
      waiter = next;
    }
  }

  void AddThread() override {
    const Lock lock(mutex_);
    ++running_;
  }

  // Waits until `time`, and until every other thread waits for a later one.
  void WaitBehindOthers(TimePoint time) {
    Lock lock(mutex_);
    Suspend({.deadline = time, .is_behind_others = true}, lock);
  }

  // Returns the next time for which a thread waits; TimePoint::max() if there
  // is none. REQUIRES: every other thread waits.
  TimePoint Next() {
    const Lock lock(mutex_);
    return waiting_.empty() ? TimePoint::max() : (*NextWaiter())->deadline;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  // A thread that waits.
  struct Waiter {
    const void* condition = nullptr;  // null: only for a time
    TimePoint deadline = {};
    bool is_behind_others = false;
    pthread_t thread = pthread_self();
    bool is_awake = false;
    bool in_time = false;  // was woken before the deadline
    std::condition_variable woken = {};
  };
  using Waiters = std::list<Waiter*>;

  // Lets the calling thread wait as `waiter` says. Returns whether it was
  // notified before its deadline.
  bool Suspend(Waiter&& waiter, Lock& lock) {
    waiting_.push_back(&waiter);
    StopOne();
    while (!waiter.is_awake) waiter.woken.wait(lock);
    return waiter.in_time;
  }

  void Wake(Waiters::iterator place, bool in_time) {
    Waiter& waiter = **place;
    waiting_.erase(place);
    ++running_;
    waiter.is_awake = true;
    waiter.in_time = in_time;
    waiter.woken.notify_one();
  }

  void RemoveThread() override {
    const Lock lock(mutex_);
    StopOne();
  }

  // Counts one thread less as running. If it was the last, moves the time to
  // the next deadline and wakes the one thread whose turn it is.
  void StopOne() {
    if (--running_ > 0) return;
    const auto next = waiting_.empty() ? waiting_.end() : NextWaiter();
    if (next == waiting_.end() || (*next)->deadline == TimePoint::max()) {
      Fail("Every thread waits, and none of them for a time");
    }
    now_ = std::max(now_, (*next)->deadline);
    if (now_ - kStart > kLongest) {
      Fail("The simulation has gone on for more than 100 days");
    }
    Wake(next, false);
  }

  // Returns the thread that waits for the earliest time and, of several, the
  // one that waits for longest.
  Waiters::iterator NextWaiter() {
    return std::min_element(
        waiting_.begin(), waiting_.end(), [](const Waiter* a, const Waiter* b) {
          return std::tie(a->deadline, a->is_behind_others) <
                 std::tie(b->deadline, b->is_behind_others);
        });
  }

  [[noreturn]] void Fail(const char* what) {
    std::string text =
        absl::StrCat(what, ". Simulated time: ",
                     absl::FormatDuration(absl::FromChrono(now_ - kStart)),
                     ", running threads: ", running_, ", waiting:");
    for (const Waiter* waiter : waiting_) {
      absl::StrAppend(&text, " ", NameOf(waiter->thread));
    }
    std::fprintf(stderr, "%s.\n", text.c_str());
    std::abort();
  }

  // Guards the members below. It is not a Mutex, whose CondVar would ask this.
  std::mutex mutex_;
  TimePoint now_ = kStart;
  int running_ = 1;  // threads that do not wait
  Waiters waiting_;  // in the order in which they began
};

SimulatedClock::SimulatedClock() : simulation_(std::make_unique<Simulation>()) {
  simulation_->Begin();
}

SimulatedClock::~SimulatedClock() { simulation_->End(); }

RealTime::RealTime() : suspended_(Simulation::Get()) {
  if (suspended_ != nullptr) suspended_->End();
}

RealTime::~RealTime() {
  if (suspended_ != nullptr) suspended_->Begin();
}

void Settle() {
  constexpr std::chrono::milliseconds kMoment(20);
  Advance(Simulation::Get() == nullptr ? kMoment : nanoseconds(0));
}

void Advance(nanoseconds time) {
  if (Simulation* const simulation = Simulation::Get()) {
    simulation->WaitBehindOthers(DeadlineAfter(time));
  } else {
    SleepFor(time);
  }
}

bool AdvanceUntil(absl::FunctionRef<bool()> condition, nanoseconds limit) {
  constexpr std::chrono::milliseconds kPollInterval(1);
  Simulation* const simulation = Simulation::Get();
  const TimePoint end = DeadlineAfter(limit);
  for (;;) {
    if (simulation != nullptr) Settle();
    if (condition()) return true;
    if (simulation != nullptr) Settle();  // The condition may do anything.
    const TimePoint next = simulation != nullptr ? simulation->Next()
                                                 : DeadlineAfter(kPollInterval);
    if (next > end) return false;
    Advance(next - Clock::now());
  }
}

}  // namespace leat::testing
