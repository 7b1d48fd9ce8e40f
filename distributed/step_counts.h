// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepCounts counts the running, successful and failed steps of a session or of
// a task, and records when a step last began or ended.
#ifndef LEAT_DISTRIBUTED_STEP_COUNTS_H_
#define LEAT_DISTRIBUTED_STEP_COUNTS_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/core/threads/clock.h"

namespace leat::pb {
class StepTotals;
}  // namespace leat::pb

namespace leat {

// Holds the counters and the time of the last use. Is thread-safe without a
// lock, because the counters are independent of each other.
class StepCounts {
 public:
  // `clock` must outlive this.
  explicit StepCounts(Clock& clock) : clock_(clock) {}

  // Holds the counts at one moment.
  struct Totals {
    int64_t running = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;
  };

  // Counts a step that begins.
  void Begin() {
    begun_.fetch_add(1, std::memory_order_relaxed);
    Touch();
  }
  // Counts the end of a step. REQUIRES: Begin was called for the step.
  void End(bool succeeded) {
    (succeeded ? succeeded_ : failed_).fetch_add(1, std::memory_order_relaxed);
    Touch();
  }

  // Returns the counts. Steps that begin or end meanwhile may be counted or
  // not.
  Totals totals() const {
    const int64_t succeeded = succeeded_.load(std::memory_order_relaxed);
    const int64_t failed = failed_.load(std::memory_order_relaxed);
    const int64_t begun = begun_.load(std::memory_order_relaxed);
    // The counters are read one after the other, so the difference may be
    // negative.
    return {.running = std::max<int64_t>(0, begun - succeeded - failed),
            .succeeded = succeeded,
            .failed = failed};
  }

  // Returns 0 while a step runs. Otherwise returns the time since the last
  // Begin or End, or since the construction. Callers use this time to find
  // sessions that are no longer used.
  std::chrono::nanoseconds idle() const {
    if (totals().running > 0) return std::chrono::nanoseconds(0);
    const Clock::duration used(used_.load(std::memory_order_relaxed));
    return std::max<std::chrono::nanoseconds>(
        clock_.Now().time_since_epoch() - used, std::chrono::nanoseconds(0));
  }

 private:
  // Returns the clock's time as a number, which an atomic can hold.
  Clock::duration::rep Now() const {
    return clock_.Now().time_since_epoch().count();
  }
  // Sets the time of the last use to now.
  void Touch() { used_.store(Now(), std::memory_order_relaxed); }

  Clock& clock_;
  // Count the steps that have begun, succeeded and failed since the
  // construction.
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> succeeded_{0};
  std::atomic<int64_t> failed_{0};
  // Is the time of the last Begin or End.
  std::atomic<Clock::duration::rep> used_{Now()};
};

// Copies the counts to a message.
void ExportSteps(const StepCounts::Totals& totals, pb::StepTotals& exported);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STEP_COUNTS_H_
