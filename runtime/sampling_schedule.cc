// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/sampling_schedule.h"

#include <chrono>

namespace leat {
namespace {

// Chooses one of kStepsPerTimed = 2^6 numbers. The golden ratio spreads any
// regular sequence of numbers evenly, so that no plan that takes turns with
// others is left out.
bool IsChosen(int64_t step_id) {
  static_assert(SamplingSchedule::kStepsPerTimed == 1 << 6);
  return (static_cast<uint64_t>(step_id) * 0x9e3779b97f4a7c15) >> (64 - 6) == 0;
}

}  // namespace

SamplingSchedule::Turn SamplingSchedule::Begin(int64_t step_id) {
  if (!is_steady_.load(std::memory_order_acquire)) return BeginFirst();
  if (!IsChosen(step_id)) return {};
  MutexLock lock(mutex_);
  const std::chrono::duration<double> allowed = kMaxShare * all_;
  if (sampled_ + last_sample_ > allowed) return {.kind = Kind::kTimed};
  sampled_ += last_sample_;
  return {.kind = Kind::kSampled, .reserved = last_sample_};
}

SamplingSchedule::Turn SamplingSchedule::BeginFirst() {
  MutexLock lock(mutex_);
  ++num_begun_;
  if (num_begun_ <= kWarmUpSteps) return {};
  if (num_begun_ >= kWarmUpSteps + kFirstSamples) {
    is_steady_.store(true, std::memory_order_release);
  }
  return {.kind = Kind::kSampled};
}

void SamplingSchedule::End(const Turn& turn, Clock::duration time) {
  MutexLock lock(mutex_);
  if (turn.kind == Kind::kTimed) {
    all_ += kStepsPerTimed * time;
    return;
  }
  last_sample_ = time;
  if (turn.reserved.has_value()) sampled_ += time - *turn.reserved;
}

}  // namespace leat
