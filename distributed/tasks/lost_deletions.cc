// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/lost_deletions.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// The deadline of one call.
constexpr std::chrono::seconds kDeletionTimeout(10);

// True if the task may not have heard of the deletion. No task itself answers a
// deletion with these codes.
bool MayBeLost(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

void LostDeletions::Note(const std::string& task, const std::string& session,
                         const absl::Status& status) {
  if (!MayBeLost(status)) return;
  MutexLock lock(mutex_);
  if (is_stopped_) return;
  const int64_t id = ++last_id_;
  deletions_[id] = {.task = task, .session = session};
  SetTimer(id, kFirstWait);
  if (deletions_.size() > kMaxSessions) ForgetOne();
}

void LostDeletions::ForgetOne() {
  absl::flat_hash_map<absl::string_view, size_t> counts;
  size_t most = 0;
  for (const auto& [id, deletion] : deletions_) {
    most = std::max(most, ++counts[deletion.task]);
  }
  deletions_.erase(std::find_if(
      deletions_.begin(), deletions_.end(),
      [&](const auto& entry) { return counts[entry.second.task] == most; }));
}

void LostDeletions::SetTimer(int64_t id, std::chrono::nanoseconds wait) {
  timers_.After(wait, [weak = weak_from_this(), id] {
    if (const auto self = weak.lock()) self->Try(id);
  });
}

void LostDeletions::Try(int64_t id) {
  Deletion deletion;
  {
    MutexLock lock(mutex_);
    const auto found = deletions_.find(id);
    if (is_stopped_ || found == deletions_.end()) return;
    found->second.wait = std::min<std::chrono::nanoseconds>(
        2 * found->second.wait, kLongestWait);
    deletion = found->second;
    ++num_trying_;
  }
  pb::DeleteWorkerSessionRequest request;
  request.set_session_handle(deletion.session);
  tasks_.Call(deletion.task, methods::kDeleteWorkerSession, ToPayload(request),
              {.deadline = timers_.clock().After(kDeletionTimeout)},
              [weak = weak_from_this(), id](absl::StatusOr<Payload> reply) {
                if (const auto self = weak.lock()) {
                  self->Finish(id, reply.status());
                }
              });
  MutexLock lock(mutex_);
  --num_trying_;
  tried_.NotifyAll();
}

void LostDeletions::Finish(int64_t id, const absl::Status& status) {
  MutexLock lock(mutex_);
  const auto found = deletions_.find(id);
  if (is_stopped_ || found == deletions_.end()) return;
  if (MayBeLost(status)) {
    SetTimer(id, found->second.wait);
  } else {
    deletions_.erase(found);
  }
}

void LostDeletions::Stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
  deletions_.clear();
  while (num_trying_ > 0) tried_.Wait(mutex_);
}

size_t LostDeletions::size() const {
  MutexLock lock(mutex_);
  return deletions_.size();
}

}  // namespace leat
