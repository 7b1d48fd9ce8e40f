// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SamplingSchedule decides which steps of a graph are sampled. It takes the
// first few steps after a warm-up, and later so few that they take at most
// 0.5 % of the time of all steps.
//
//   const SamplingSchedule::Turn turn = schedule.Begin(step_id);
//   ...  // run the step, and observe it if turn.kind is kSampled
//   if (turn.kind != SamplingSchedule::Kind::kPlain) schedule.End(turn, time);
#ifndef LEAT_RUNTIME_SAMPLING_SCHEDULE_H_
#define LEAT_RUNTIME_SAMPLING_SCHEDULE_H_

#include <atomic>
#include <cstdint>
#include <optional>

#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Is thread-safe. Steps may run at the same time. A step that is neither
// sampled nor timed costs a multiplication: the time of all steps is estimated
// from that of one in 64, which the number of the step chooses.
class SamplingSchedule {
 public:
  static constexpr int kWarmUpSteps = 2;
  static constexpr int kFirstSamples = 10;
  static constexpr double kMaxShare = 0.005;
  static constexpr int kStepsPerTimed = 64;

  // Says what to do with a step: nothing, measure how long it takes, or observe
  // it as well.
  enum class Kind : uint8_t { kPlain, kTimed, kSampled };
  struct Turn {
    Kind kind = Kind::kPlain;
    // Is the time that was set aside for a sampled step. The time of the first
    // samples does not count, so they have none.
    std::optional<Clock::duration> reserved = {};
  };

  // Begins the step with the number `step_id`.
  Turn Begin(int64_t step_id);
  // Ends a step that was timed or sampled and has taken `time`, with what was
  // done for its sample. Must be called for each of these steps.
  void End(const Turn& turn, Clock::duration time);

 private:
  // Begins a step of the warm-up or one of the first samples.
  Turn BeginFirst();

  // Is set when all of the first samples have begun.
  std::atomic<bool> is_steady_{false};
  Mutex mutex_;
  // Counts the steps that begin before `is_steady_` is set.
  int num_begun_ ABSL_GUARDED_BY(mutex_) = 0;
  // Estimates the time of all steps that begin afterwards. `sampled_` is the
  // time of the sampled ones among them.
  Clock::duration all_ ABSL_GUARDED_BY(mutex_) = {};
  Clock::duration sampled_ ABSL_GUARDED_BY(mutex_) = {};
  // Is the time of the sampled step that has ended last.
  Clock::duration last_sample_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SAMPLING_SCHEDULE_H_
