// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// StepCounts: how many steps of a session or task run, have succeeded and
// failed, and when the last began or ended. Thread-safe, without a lock.
#ifndef LEAT_DISTRIBUTED_STEP_COUNTS_H_
#define LEAT_DISTRIBUTED_STEP_COUNTS_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace leat::pb {
class StepTotals;
}  // namespace leat::pb

namespace leat {

class StepCounts {
 public:
  struct Totals {
    int64_t running = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;
  };

  void Begin() {
    begun_.fetch_add(1, std::memory_order_relaxed);
    Touch();
  }
  // Of one that has begun.
  void End(bool succeeded) {
    (succeeded ? succeeded_ : failed_).fetch_add(1, std::memory_order_relaxed);
    Touch();
  }

  Totals totals() const {
    const int64_t succeeded = succeeded_.load(std::memory_order_relaxed);
    const int64_t failed = failed_.load(std::memory_order_relaxed);
    const int64_t begun = begun_.load(std::memory_order_relaxed);
    // They are read one after the other.
    return {.running = std::max<int64_t>(0, begun - succeeded - failed),
            .succeeded = succeeded,
            .failed = failed};
  }

  // Since the last Begin or End, or the construction; 0 while a step runs.
  std::chrono::nanoseconds idle() const {
    if (totals().running > 0) return std::chrono::nanoseconds(0);
    const Clock::duration used(used_.load(std::memory_order_relaxed));
    return std::max<std::chrono::nanoseconds>(
        Clock::now().time_since_epoch() - used, std::chrono::nanoseconds(0));
  }

 private:
  using Clock = std::chrono::steady_clock;

  static Clock::rep Now() { return Clock::now().time_since_epoch().count(); }
  void Touch() { used_.store(Now(), std::memory_order_relaxed); }

  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> succeeded_{0};
  std::atomic<int64_t> failed_{0};
  std::atomic<Clock::rep> used_{Now()};
};

void ExportSteps(const StepCounts::Totals& totals, pb::StepTotals& exported);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STEP_COUNTS_H_
