// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/end_notices.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// Returns true if the task has perhaps not deleted the session. Then the task
// could not be reached, or its RequestQueue refused the message with
// RESOURCE_EXHAUSTED. A deletion fails with RESOURCE_EXHAUSTED for no other
// reason.
bool MayBeLost(const absl::Status& status) {
  return IsUnreachable(status) || absl::IsResourceExhausted(status);
}

Payload DeletionOf(const std::string& session) {
  pb::DeleteWorkerSessionRequest request;
  request.set_session_handle(session);
  return ToPayload(request);
}

}  // namespace

bool EndNotices::DeferStep(const std::string& task, int64_t step_id) {
  if (task == own_task_) return false;
  MutexLock lock(mutex_);
  if (is_stopped_) return false;
  steps_[task].push_back(step_id);
  if (std::exchange(has_timer_, true)) return true;
  timers_.After(wait_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->SendSteps();
  });
  return true;
}

std::vector<int64_t> EndNotices::TakeSteps(const std::string& task) {
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

void EndNotices::SendSteps() {
  absl::flat_hash_map<std::string, std::vector<int64_t>> due;
  {
    MutexLock lock(mutex_);
    has_timer_ = false;
    if (is_stopped_) return;
    due.swap(steps_);
    ++num_calling_;
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
                  tasks_.ShortCall(), [](const absl::StatusOr<Payload>&) {});
    }
  }
  EndCalling();
}

void EndNotices::DeleteSession(const std::vector<std::string>& tasks,
                               const std::string& session,
                               absl::AnyInvocable<void() &&> done) {
  std::vector<TaskCall> calls;
  for (const std::string& task : tasks) {
    calls.push_back({task, DeletionOf(session)});
  }
  FanOut(tasks_, methods::kDeleteWorkerSession, std::move(calls),
         tasks_.ShortCall(),
         [self = shared_from_this(), tasks, session, done = std::move(done)](
             const std::vector<absl::StatusOr<Payload>>& replies) mutable {
           for (size_t i = 0; i < replies.size(); ++i) {
             if (MayBeLost(replies[i].status())) {
               self->RetryDeletion(tasks[i], session);
             }
           }
           std::move(done)();
         });
}

void EndNotices::RetryDeletion(const std::string& task,
                               const std::string& session) {
  MutexLock lock(mutex_);
  if (is_stopped_) return;
  const int64_t id = ++last_id_;
  deletions_[id] = {
      .task = task, .session = session, .wait = retries_.shortest};
  SetTimer(id, retries_.shortest);
  if (deletions_.size() > kMaxDeletions) ForgetDeletion();
}

void EndNotices::ForgetDeletion() {
  absl::flat_hash_map<absl::string_view, size_t> counts;
  size_t most = 0;
  for (const auto& [id, deletion] : deletions_) {
    most = std::max(most, ++counts[deletion.task]);
  }
  deletions_.erase(std::find_if(
      deletions_.begin(), deletions_.end(),
      [&](const auto& entry) { return counts[entry.second.task] == most; }));
}

void EndNotices::SetTimer(int64_t id, std::chrono::nanoseconds wait) {
  timers_.After(wait, [weak = weak_from_this(), id] {
    if (const auto self = weak.lock()) self->TryDeletion(id);
  });
}

void EndNotices::TryDeletion(int64_t id) {
  Deletion deletion;
  {
    MutexLock lock(mutex_);
    const auto found = deletions_.find(id);
    if (is_stopped_ || found == deletions_.end()) return;
    found->second.wait = retries_.After(found->second.wait);
    deletion = found->second;
    ++num_calling_;
  }
  tasks_.Call(deletion.task, methods::kDeleteWorkerSession,
              DeletionOf(deletion.session), tasks_.ShortCall(),
              [weak = weak_from_this(), id](absl::StatusOr<Payload> reply) {
                if (const auto self = weak.lock()) {
                  self->FinishDeletion(id, reply.status());
                }
              });
  EndCalling();
}

void EndNotices::FinishDeletion(int64_t id, const absl::Status& status) {
  MutexLock lock(mutex_);
  const auto found = deletions_.find(id);
  if (is_stopped_ || found == deletions_.end()) return;
  if (MayBeLost(status)) {
    SetTimer(id, found->second.wait);
  } else {
    deletions_.erase(found);
  }
}

void EndNotices::EndCalling() {
  MutexLock lock(mutex_);
  --num_calling_;
  called_.NotifyAll();
}

void EndNotices::Stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
  steps_.clear();
  deletions_.clear();
  while (num_calling_ > 0) called_.Wait(mutex_);
}

}  // namespace leat
