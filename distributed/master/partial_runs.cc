// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/partial_runs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/master/master_step.h"

namespace leat {

MasterPartialRun::MasterPartialRun(std::shared_ptr<const RegisteredPlan> plan)
    : plan_(std::move(plan)),
      step_id_(RandomStepId()),
      progress_(plan_->feeds, plan_->fetches, *plan_->whole) {}

absl::StatusOr<MasterPartialRun::BegunCall> MasterPartialRun::BeginCall(
    std::vector<std::pair<std::string, Tensor>> feeds,
    const std::vector<std::string>& fetches) {
  MutexLock lock(mutex_);
  if (!ended_.ok()) return ended_;
  BegunCall begun;
  LEAT_ASSIGN_OR_RETURN(begun.call, progress_.Begin(std::move(feeds), fetches));
  has_begun_ = true;
  has_last_ = begun.call.is_last;
  begun.closes = is_closing_ = has_last_ && num_calls_ == 0;
  ++num_calls_;
  return begun;
}

bool MasterPartialRun::EndCall() {
  MutexLock lock(mutex_);
  --num_calls_;
  if (num_calls_ > 0 || !has_last_ || is_closing_) return false;
  is_closing_ = true;
  return true;
}

bool MasterPartialRun::HasEnded() {
  MutexLock lock(mutex_);
  return !ended_.ok();
}

absl::Status MasterPartialRun::AddStep(
    const std::shared_ptr<MasterStep>& step) {
  MutexLock lock(mutex_);
  std::erase_if(steps_, [](const auto& ended) { return ended.expired(); });
  steps_.push_back(step);
  return ended_;
}

bool MasterPartialRun::End(const absl::Status& why) {
  std::vector<std::weak_ptr<MasterStep>> steps;
  bool has_begun = false;
  {
    MutexLock lock(mutex_);
    if (ended_.ok()) ended_ = why;
    steps.swap(steps_);
    has_begun = has_begun_;
  }
  for (const std::weak_ptr<MasterStep>& weak : steps) {
    if (const auto step = weak.lock()) step->Cancel(why);
  }
  return has_begun;
}

absl::StatusOr<std::string> PartialRuns::Add(
    std::shared_ptr<MasterPartialRun> run) {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return closed_;
  if (table_.size() >= kMaxPartialRuns) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a session has at most ", kMaxPartialRuns,
                     " partial runs that have not ended; a partial run ends "
                     "when everything was fed and fetched"));
  }
  std::string handle = absl::StrCat(next_handle_++);
  table_[handle].run = std::move(run);
  return handle;
}

void PartialRuns::SetTimer(const std::string& handle, TimerQueue::Id timer) {
  {
    MutexLock lock(mutex_);
    const auto found = table_.find(handle);
    if (found != table_.end()) {
      found->second.timer = timer;
      return;
    }
  }
  timers_.Cancel(timer);
}

absl::StatusOr<std::shared_ptr<MasterPartialRun>> PartialRuns::Find(
    const std::string& handle) const {
  MutexLock lock(mutex_);
  const auto found = table_.find(handle);
  if (found == table_.end()) return PartialRunProgress::Over();
  return found->second.run;
}

std::shared_ptr<MasterPartialRun> PartialRuns::Remove(
    const std::string& handle) {
  Entry removed;
  {
    MutexLock lock(mutex_);
    const auto found = table_.find(handle);
    if (found == table_.end()) return nullptr;
    removed = std::move(found->second);
    table_.erase(found);
  }
  if (removed.timer != 0) timers_.Cancel(removed.timer);
  return std::move(removed.run);
}

std::vector<std::shared_ptr<MasterPartialRun>> PartialRuns::Close(
    const absl::Status& why) {
  Table removed;
  {
    MutexLock lock(mutex_);
    if (closed_.ok()) closed_ = why;
    removed.swap(table_);
  }
  std::vector<std::shared_ptr<MasterPartialRun>> runs;
  for (auto& [handle, entry] : removed) {
    if (entry.timer != 0) timers_.Cancel(entry.timer);
    runs.push_back(std::move(entry.run));
  }
  return runs;
}

}  // namespace leat
