// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/session_activity.h"

#include <utility>

namespace leat {

absl::Status SessionActivity::Touch() {
  MutexLock lock(mutex_);
  used_ = clock_.Now();
  return closed_;
}

absl::StatusOr<int64_t> SessionActivity::Begin() {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return closed_;
  running_.emplace(next_number_, nullptr);
  return next_number_++;
}

absl::Status SessionActivity::SetStep(int64_t number,
                                      std::shared_ptr<MasterStep> step) {
  MutexLock lock(mutex_);
  const auto place = running_.find(number);
  if (place == running_.end()) return absl::OkStatus();
  place->second = std::move(step);
  return closed_;
}

void SessionActivity::End(int64_t number) {
  std::shared_ptr<MasterStep> step;  // outlives the lock
  absl::AnyInvocable<void() &&> when_idle;
  {
    MutexLock lock(mutex_);
    const auto place = running_.find(number);
    step = std::move(place->second);
    running_.erase(place);
    used_ = clock_.Now();
    if (running_.empty()) when_idle = std::exchange(when_idle_, nullptr);
  }
  if (when_idle != nullptr) std::move(when_idle)();
}

int64_t SessionActivity::next_number() const {
  MutexLock lock(mutex_);
  return next_number_;
}

std::vector<std::shared_ptr<MasterStep>> SessionActivity::Steps() const {
  return StepsBefore(INT64_MAX);
}

std::vector<std::shared_ptr<MasterStep>> SessionActivity::StepsBefore(
    int64_t number) const {
  std::vector<std::shared_ptr<MasterStep>> steps;
  MutexLock lock(mutex_);
  for (const auto& [begun, step] : running_) {
    if (begun < number && step != nullptr) steps.push_back(step);
  }
  return steps;
}

SessionActivity::Closing SessionActivity::Close(
    absl::Status why, absl::AnyInvocable<void() &&> when_idle) {
  Closing closing;
  MutexLock lock(mutex_);
  closed_ = std::move(why);
  when_idle_ = std::move(when_idle);
  for (const auto& [number, step] : running_) {
    if (step != nullptr) closing.steps.push_back(step);
  }
  closing.number = next_number_++;
  running_.emplace(closing.number, nullptr);
  return closing;
}

Clock::time_point SessionActivity::idle_since() const {
  MutexLock lock(mutex_);
  return running_.empty() ? used_ : clock_.Now();
}

}  // namespace leat
