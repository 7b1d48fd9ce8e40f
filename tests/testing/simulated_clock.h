// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SimulatedClock is a clock whose time stands still while any thread runs. When
// all threads wait, its time jumps to the next deadline. So tests do not wait
// in real time, and stalled threads do not make them fail.
//
//   SimulatedClock clock;
//   TimerQueue timers("timers", clock);
//   std::atomic<int> beats = 0;
//   timers.At(clock.After(hours(1)), [&] { ++beats; });
//   clock.Advance(minutes(59));
//   EXPECT_EQ(beats, 0);
//   clock.Advance(minutes(1));
//   EXPECT_EQ(beats, 1);
#ifndef LEAT_TESTS_TESTING_SIMULATED_CLOCK_H_
#define LEAT_TESTS_TESTING_SIMULATED_CLOCK_H_

#include <pthread.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/simulation.h"

namespace leat::testing {

// A SimulatedClock is a clock for tests, and the simulation that uses it. It is
// thread-safe, except that only the thread that makes the clock (the test's
// thread) may call Settle, Advance and AdvanceUntil. Make the clock before all
// objects that use it or have threads, and destroy it after them. Only one
// clock may exist at a time.
//
// The simulation consists of the test's thread and of all leat::Threads that
// are started while the clock exists. They run at the same time, as in a
// program. Only waits for a CondVar or a clock are simulated. A thread counts
// as running if it spins, sleeps in another way, joins a std::thread, or is
// blocked on a Mutex, a std::future or an atomic. When all threads wait, the
// thread with the earliest deadline continues alone, at the time of its
// deadline.
//
// The process aborts with a message that names the waiting threads if
//   - all threads wait and none has a deadline,
//   - the time is 100 days after the start,
//   - a thread waits that is not part of the simulation,
//   - a thread waits for a time of the real clock, which is long before the
// start of simulated time,
//   - threads are left when the clock is destroyed.
class SimulatedClock final : public Clock, private Simulation {
 public:
  using time_point = Clock::time_point;

  // Returns the clock that exists now, or null.
  static SimulatedClock* Current();

  // Begins the simulation. The time at its beginning is the same in every test.
  // A test that begins several simulations may name each of them. The message
  // of an abort contains the name.
  explicit SimulatedClock(absl::string_view name = "");
  ~SimulatedClock() override;

  time_point Now() const override;
  bool WaitUntil(CondVar& condition, Mutex& mutex, time_point deadline) override
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);

  // Waits until all other threads wait. No time passes.
  void Settle();
  // Lets `time` pass, and then waits until all other threads wait again. By
  // then, everything that was due within `time` has run, including what was due
  // at its end.
  void Advance(duration time);
  // Lets time pass until `condition()` is true. The condition is called on this
  // thread while all other threads wait, first without any delay and then after
  // each deadline. It may wake threads and wait for them.
  void AdvanceUntil(absl::FunctionRef<bool()> condition);
  // Lets time pass until `condition()` is true, but at most `time`. Returns
  // earlier if no thread has a deadline within the rest of `time`. Returns
  // whether the condition is true. Calls the condition as the function above
  // does.
  bool AdvanceUntil(absl::FunctionRef<bool()> condition, duration time);
  // Moves the time forward without waiting for threads that run, and wakes the
  // threads whose deadlines have passed. Any thread may call this.
  void Jump(duration time);

 private:
  struct Waiter;

  bool Wait(const CondVar& condition, Mutex& mutex,
            time_point deadline) override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  void NotifyOne(const CondVar& condition) override;
  void NotifyAll(const CondVar& condition) override;
  void AddThread() override;
  void RemoveThread() override;
  void BeginThread() override;
  void EndThread() override;

  // Waits until `waiter` is woken. REQUIRES: `waiter` has been added.
  void Park(Waiter& waiter);
  void Wake(Waiter& waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Notify(const CondVar& condition, size_t at_most);
  // Counts the calling thread as waiting or ended. If no thread runs any more,
  // wakes the thread that continues next.
  void StopRunning() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the earliest deadline of the threads that wait, or
  // time_point::max() if none has a deadline.
  time_point NextDeadline() const;
  // Returns the waiter with the earliest deadline, or null if there is none.
  Waiter* Next() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves the time to the earliest deadline and wakes the thread that has it.
  void WakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MoveTo(time_point when) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckTestThread() const;
  // Prints `problem` and what all threads wait for, and aborts.
  [[noreturn]] void Fail(absl::string_view problem) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const pthread_t test_thread_ = pthread_self();
  mutable Mutex mutex_;
  time_point now_ ABSL_GUARDED_BY(mutex_);
  int num_threads_ ABSL_GUARDED_BY(mutex_) = 1;  // includes the test's thread
  int num_running_ ABSL_GUARDED_BY(mutex_) = 1;
  // Holds the threads that wait, in the order in which they began to wait.
  std::vector<Waiter*> waiters_ ABSL_GUARDED_BY(mutex_);
  // Is the test's thread in Settle, or null. It is not one of `waiters_`.
  Waiter* settling_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

// Returns the simulated clock if there is one. Otherwise returns the real
// clock, whose Sleep calls CheckMaySleep. Code that tests share takes this
// clock, so that each test decides whether time is simulated.
Clock& TestClock();

// Aborts the test if the environment variable LEAT_TEST_SIMULATES_TIME is set.
// CTest sets it for all programs without the label `processes`. Test code calls
// this function before it sleeps in real time.
void CheckMaySleep();

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_SIMULATED_CLOCK_H_
