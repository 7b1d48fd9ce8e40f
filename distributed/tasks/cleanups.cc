// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/cleanups.h"

#include <algorithm>
#include <cstddef>

#include "leat/core/threads/clock.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// The deadline of a CleanupGraph.
constexpr auto kCleanupTimeout = std::chrono::seconds(10);

}  // namespace

bool Cleanups::Defer(const std::string& task, int64_t step_id) {
  if (task == own_task_) return false;
  MutexLock lock(mutex_);
  if (is_stopped_) return false;
  steps_[task].push_back(step_id);
  if (timer_ != 0) return true;
  timer_ = timers_.At(DeadlineAfter(wait_), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Flush();
  });
  return true;
}

std::vector<int64_t> Cleanups::Take(const std::string& task) {
  MutexLock lock(mutex_);
  const auto found = steps_.find(task);
  if (found == steps_.end()) return {};
  std::vector<int64_t>& waiting = found->second;
  const auto end = waiting.end() - static_cast<ptrdiff_t>(std::min(
                                       waiting.size(), kMaxCleanupSteps));
  std::vector<int64_t> taken(end, waiting.end());
  waiting.erase(end, waiting.end());
  return taken;
}

void Cleanups::Flush() {
  absl::flat_hash_map<std::string, std::vector<int64_t>> due;
  {
    MutexLock lock(mutex_);
    timer_ = 0;
    is_flushing_ = true;
    due.swap(steps_);
  }
  for (const auto& [task, steps] : due) {
    for (size_t i = 0; i < steps.size(); i += kMaxCleanupSteps) {
      const size_t end = std::min(steps.size(), i + kMaxCleanupSteps);
      pb::CleanupGraphRequest request;
      request.set_step_id(steps[i]);
      request.mutable_leat()->mutable_steps()->Add(steps.data() + i + 1,
                                                   steps.data() + end);
      // The result is ignored. A task that cannot be reached has already
      // forgotten the steps, or forgets them when their session ends.
      tasks_.Call(task, methods::kCleanupGraph, ToPayload(request),
                  {.deadline = DeadlineAfter(kCleanupTimeout)},
                  [](const absl::StatusOr<Payload>&) {});
    }
  }
  MutexLock lock(mutex_);
  is_flushing_ = false;
  idle_.NotifyAll();
}

void Cleanups::Stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
  steps_.clear();
  if (timer_ != 0 && timers_.Cancel(timer_)) timer_ = 0;
  // The timer could not be cancelled: Flush is running or about to run.
  while (timer_ != 0 || is_flushing_) idle_.Wait(mutex_);
}

}  // namespace leat
