// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SamplingSchedule decides which steps of a graph are sampled. After a warm-up
// the first few steps are. Later so few are that they take at most 0.5 % of the
// time of all steps.
//
//   const SamplingSchedule::Turn turn = schedule.Begin(step_id);
//   ...  // run the step, and observe it if turn.kind is kSampled
//   if (turn.kind != SamplingSchedule::Kind::kPlain) schedule.End(turn, time);
#ifndef LEAT_RUNTIME_SAMPLING_SCHEDULE_H_
#define LEAT_RUNTIME_SAMPLING_SCHEDULE_H_

#include <atomic>
#include <cstdint>

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
    // Is true if the time of the sampled step counts, and then how much time
    // was set aside for it.
    bool counts = false;
    Clock::duration reserved = {};
  };

  // Begins the step with the number `step_id`.
  Turn Begin(int64_t step_id);
  // Ends a step that was timed or sampled and has taken `time`, with what was
  // done for its sample. Must be called for each of these steps.
  void End(const Turn& turn, Clock::duration time);

 private:
  Turn BeginFirst();

  std::atomic<bool> is_steady_{false};  // all first samples have begun
  Mutex mutex_;
  int num_begun_ ABSL_GUARDED_BY(mutex_) = 0;  // until is_steady_
  // Since then: the estimated time of all steps, the time of sampled steps, and
  // the time of the last one of these.
  Clock::duration all_ ABSL_GUARDED_BY(mutex_) = {};
  Clock::duration sampled_ ABSL_GUARDED_BY(mutex_) = {};
  Clock::duration last_sample_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SAMPLING_SCHEDULE_H_
