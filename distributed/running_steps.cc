// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/running_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "leat/distributed/shown_ids.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/worker_step.h"
#include "leat/protos/status.pb.h"

namespace leat {
namespace {

// The most steps among which the oldest ones are looked for.
constexpr size_t kMaxReportedSteps = 10'000;

}  // namespace

void RunningSteps::Add(std::shared_ptr<WorkerStep> step, int64_t step_id,
                       absl::string_view session) {
  const WorkerStep* const key = step.get();
  Entry entry{.step = std::move(step),
              .step_id = ShownStep(step_id),
              .session = ShownHandle(session),
              .begun = std::chrono::steady_clock::now()};
  counts_.Begin();
  MutexLock lock(mutex_);
  steps_.emplace(key, std::move(entry));
}

void RunningSteps::Remove(const WorkerStep* step, bool succeeded) {
  counts_.End(succeeded);
  MutexLock lock(mutex_);
  steps_.erase(step);
}

void RunningSteps::FailAll(const absl::Status& why) {
  std::vector<std::shared_ptr<WorkerStep>> steps;
  {
    MutexLock lock(mutex_);
    steps.reserve(steps_.size());
    for (const auto& [key, entry] : steps_) {
      if (auto step = entry.step.lock()) steps.push_back(std::move(step));
    }
  }
  for (const auto& step : steps) step->Fail(why);
}

void RunningSteps::Report(const StatusListing& listing,
                          pb::TaskStatusResponse& status) const {
  ExportSteps(counts_.totals(), *status.mutable_steps());
  const auto now = std::chrono::steady_clock::now();
  std::vector<Entry> old;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, entry] : steps_) {
      if (old.size() >= kMaxReportedSteps) break;
      if (now - entry.begun < listing.min_age) continue;
      old.push_back({.step_id = entry.step_id,
                     .session = entry.session,
                     .begun = entry.begun});
    }
  }
  std::sort(old.begin(), old.end(),
            [](const Entry& a, const Entry& b) { return a.begun < b.begun; });
  if (old.size() > listing.max_listed) old.resize(listing.max_listed);
  for (const Entry& entry : old) {
    pb::RunningStepStatus& step = *status.add_running_steps();
    step.set_step(entry.step_id);
    step.set_session(entry.session);
    step.set_age_us(ToMicros(now - entry.begun));
  }
}

size_t RunningSteps::size() const {
  MutexLock lock(mutex_);
  return steps_.size();
}

}  // namespace leat
