// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/simulated_clock.h"

#include <semaphore.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace leat::testing {
namespace {

using std::chrono::hours;

// Simulated time starts at 1,000 days. The real clock counts from the start of
// the machine, and no machine that runs tests has been on for 1,000 days. So a
// deadline before kStart is a deadline of the real clock.
constexpr Clock::time_point kStart(hours(24 * 1000));
constexpr Clock::duration kLongest = hours(24 * 100);

// Is the simulation that the calling thread is part of, or null.
thread_local const SimulatedClock* simulation_of_thread = nullptr;

std::string NameOf(pthread_t thread) {
  char name[16] = "";
  pthread_getname_np(thread, name, sizeof(name));
  return name;
}

// An UnsimulatedClock is the real clock, for tests that simulate no time. Every
// test may wait for events until a deadline, but only some tests may sleep
// (CheckMaySleep).
class UnsimulatedClock final : public Clock {
 public:
  time_point Now() const override { return RealClock().Now(); }

  bool WaitUntil(CondVar& condition, Mutex& mutex, time_point deadline) override
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return RealClock().WaitUntil(condition, mutex, deadline);
  }

  void Sleep(duration time) override {
    CheckMaySleep();
    RealClock().Sleep(time);
  }
};

std::string SinceStart(Clock::time_point when) {
  return absl::FormatDuration(absl::FromChrono(when - kStart));
}

}  // namespace

// Describes a thread that waits. The object is on the stack of that thread.
struct SimulatedClock::Waiter {
  Waiter(const CondVar* condition, time_point deadline)
      : condition(condition), deadline(deadline) {
    sem_init(&wake_up, 0, 0);
  }
  ~Waiter() { sem_destroy(&wake_up); }

  const CondVar* const condition;  // null in Settle
  const time_point deadline;
  const pthread_t thread = pthread_self();
  bool was_notified = false;
  // Is posted once, to wake the thread. A thread that waits for a semaphore
  // sleeps at once. With a std::atomic it would yield first, which takes long
  // on a busy machine.
  sem_t wake_up;
};

SimulatedClock* SimulatedClock::Current() {
  return static_cast<SimulatedClock*>(Active());
}

Clock& TestClock() {
  static UnsimulatedClock* const unsimulated = new UnsimulatedClock;
  if (SimulatedClock* const clock = SimulatedClock::Current()) return *clock;
  return *unsimulated;
}

void CheckMaySleep() {
  if (std::getenv("LEAT_TEST_SIMULATES_TIME") == nullptr) return;
  std::fputs(
      "The test would sleep, because it has no SimulatedClock. Tests in this "
      "process must simulate time.\n",
      stderr);
  std::abort();
}

SimulatedClock::SimulatedClock(absl::string_view name)
    : name_(name), now_(kStart) {
  MutexLock lock(mutex_);
  if (Active() != nullptr) Fail("A second simulated clock was made.");
  simulation_of_thread = this;
  active_ = this;
}

SimulatedClock::~SimulatedClock() {
  MutexLock lock(mutex_);
  if (num_threads_ > 1) {
    Fail("The clock is destroyed before threads of its simulation.");
  }
  active_ = nullptr;
  simulation_of_thread = nullptr;
}

// ---- The clock ----

SimulatedClock::time_point SimulatedClock::Now() const {
  MutexLock lock(mutex_);
  return now_;
}

bool SimulatedClock::WaitUntil(CondVar& condition, Mutex& mutex,
                               time_point deadline) {
  return Wait(condition, mutex, deadline);
}

// ---- Functions for tests ----

void SimulatedClock::Settle() {
  CheckTestThread();
  Waiter waiter(nullptr, time_point::max());
  {
    MutexLock lock(mutex_);
    settling_ = &waiter;
    StopRunning();
  }
  Park(waiter);
}

void SimulatedClock::Advance(duration time) {
  const time_point end = After(time);
  for (;;) {
    Settle();
    MutexLock lock(mutex_);
    const Waiter* next = Next();
    if (next == nullptr || next->deadline > end) {
      MoveTo(end);
      return;
    }
    WakeNext();
  }
}

void SimulatedClock::AdvanceUntil(absl::FunctionRef<bool()> condition) {
  for (;;) {
    Settle();
    if (condition()) return;
    Settle();  // The condition may have made other threads run.
    if (NextDeadline() == time_point::max() && condition()) return;
    MutexLock lock(mutex_);
    WakeNext();
  }
}

bool SimulatedClock::AdvanceUntil(absl::FunctionRef<bool()> condition,
                                  duration time) {
  const time_point end = After(time);
  for (;;) {
    Settle();
    if (condition()) return true;
    Settle();  // The condition may have made other threads run.
    if (NextDeadline() > end) return condition();
    MutexLock lock(mutex_);
    WakeNext();
  }
}

SimulatedClock::time_point SimulatedClock::NextDeadline() const {
  MutexLock lock(mutex_);
  const Waiter* next = Next();
  return next == nullptr ? time_point::max() : next->deadline;
}

void SimulatedClock::Jump(duration time) {
  MutexLock lock(mutex_);
  MoveTo(now_ + time);
  for (Waiter* next = Next(); next != nullptr && next->deadline <= now_;
       next = Next()) {
    Wake(*next);
  }
}

// ---- Functions that CondVar and Thread call ----

bool SimulatedClock::Wait(const CondVar& condition, Mutex& mutex,
                          time_point deadline) {
  Waiter waiter(&condition, deadline);
  {
    MutexLock lock(mutex_);
    if (simulation_of_thread != this) {
      Fail(absl::StrCat(
          "The thread \"", NameOf(waiter.thread),
          "\" waits, but is not part of the simulation. It must be a "
          "leat::Thread, started after the simulated clock was made."));
    }
    if (deadline < kStart) {
      Fail(absl::StrCat("The thread \"", NameOf(waiter.thread),
                        "\" waits for a time of the real clock."));
    }
    waiters_.push_back(&waiter);
    // The waiter is in the list before the mutex is unlocked. So no
    // notification is lost.
    mutex.Unlock();
    if (deadline <= now_) {
      --num_running_;
      Wake(waiter);
    } else {
      StopRunning();
    }
  }
  Park(waiter);
  mutex.Lock();
  return waiter.was_notified;
}

void SimulatedClock::NotifyOne(const CondVar& condition) {
  Notify(condition, 1);
}

void SimulatedClock::NotifyAll(const CondVar& condition) {
  Notify(condition, std::numeric_limits<size_t>::max());
}

void SimulatedClock::AddThread() {
  MutexLock lock(mutex_);
  ++num_threads_;
  ++num_running_;
}

void SimulatedClock::RemoveThread() {
  MutexLock lock(mutex_);
  --num_threads_;
  --num_running_;
}

void SimulatedClock::BeginThread() { simulation_of_thread = this; }

void SimulatedClock::EndThread() {
  simulation_of_thread = nullptr;
  MutexLock lock(mutex_);
  --num_threads_;
  StopRunning();
}

// ---- Running and waiting threads ----

void SimulatedClock::Park(Waiter& waiter) {
  while (sem_wait(&waiter.wake_up) != 0) {
    // A signal has interrupted sem_wait.
  }
  // Wake holds the lock while it uses the waiter. Taking the lock here waits
  // until Wake no longer uses the waiter.
  MutexLock lock(mutex_);
}

void SimulatedClock::Wake(Waiter& waiter) {
  std::erase(waiters_, &waiter);
  ++num_running_;  // before the thread wakes
  sem_post(&waiter.wake_up);
}

void SimulatedClock::Notify(const CondVar& condition, size_t at_most) {
  MutexLock lock(mutex_);
  std::vector<Waiter*> notified;
  for (Waiter* waiter : waiters_) {
    if (notified.size() == at_most) break;
    if (waiter->condition == &condition) notified.push_back(waiter);
  }
  for (Waiter* waiter : notified) {
    waiter->was_notified = true;
    Wake(*waiter);
  }
}

void SimulatedClock::StopRunning() {
  if (--num_running_ > 0) return;
  if (settling_ == nullptr) return WakeNext();
  Wake(*settling_);
  settling_ = nullptr;
}

SimulatedClock::Waiter* SimulatedClock::Next() const {
  const auto next = std::min_element(waiters_.begin(), waiters_.end(),
                                     [](const Waiter* a, const Waiter* b) {
                                       return a->deadline < b->deadline;
                                     });
  if (next == waiters_.end() || (*next)->deadline == time_point::max()) {
    return nullptr;
  }
  return *next;
}

void SimulatedClock::WakeNext() {
  Waiter* next = Next();
  if (next == nullptr) {
    Fail("All threads wait, and none has a deadline.");
  }
  MoveTo(std::max(now_, next->deadline));
  Wake(*next);
}

void SimulatedClock::MoveTo(time_point when) {
  if (when - kStart > kLongest) {
    Fail("What the test waits for has not happened within 100 days.");
  }
  now_ = when;
}

void SimulatedClock::CheckTestThread() const {
  if (pthread_equal(pthread_self(), test_thread_) != 0) return;
  MutexLock lock(mutex_);
  Fail("Only the thread that made the clock may let time pass.");
}

void SimulatedClock::Fail(absl::string_view problem) const {
  std::string text = absl::StrCat("The simulation", name_.empty() ? "" : " of ",
                                  name_, " failed ", SinceStart(now_),
                                  " after its start. ", problem, "\n");
  for (const Waiter* waiter : waiters_) {
    absl::StrAppend(&text, "  The thread \"", NameOf(waiter->thread),
                    "\" waits ",
                    waiter->deadline == time_point::max()
                        ? "without a deadline"
                        : absl::StrCat("until ", SinceStart(waiter->deadline)),
                    ".\n");
  }
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace leat::testing
