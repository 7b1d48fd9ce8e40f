// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerSessions keeps the sessions that masters have with a task, and finds
// them by handle. It also has a session without a handle, which always exists.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_SESSIONS_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_SESSIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/worker/worker_session.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_set.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

// Is thread-safe. Shares the ownership of each session with its running steps.
class WorkerSessions {
 public:
  // `task` is this task's name. `devices`, `kernels`, `clock` and the pointers
  // in `functions` are borrowed and must outlive this and the sessions.
  WorkerSessions(std::string task, DeviceSet& devices,
                 const KernelRegistry& kernels, const ServerLimits& limits,
                 const FunctionPlanning& functions, Clock& clock);
  WorkerSessions(const WorkerSessions&) = delete;
  WorkerSessions& operator=(const WorkerSessions&) = delete;

  // Holds sessions that were removed and that the caller has to end.
  using Ended = std::vector<std::shared_ptr<WorkerSession>>;

  // Returns ABORTED if an earlier process of this task gave the ticket, because
  // the request is then late. Its master may have removed the session already,
  // and would not remove a new one.
  //
  // Then looks for sessions that other processes of the same master task have
  // made. If one of them has a larger ticket than `options.ticket` (and this
  // ticket is known), returns ABORTED. The request is then late, and its sender
  // does not exist any more. Otherwise moves the sessions that it has found to
  // `*ended`. Then makes a new session, unless there is already one with the
  // same handle.
  //
  // Returns INVALID_ARGUMENT if the handle is empty, or if the handle or the
  // master's task is longer than 1 KiB. Returns RESOURCE_EXHAUSTED if there are
  // too many sessions. Returns ABORTED for a handle that Remove remembers,
  // because nobody would remove the new session.
  absl::Status Create(WorkerSessionOptions options, Ended* ended);

  // Returns the session with that handle. Returns ABORTED, with TensorFlow's
  // message and payload, for an unknown handle, because this process may have
  // been restarted. If `created` is false, the master has not created a session
  // here. Find then ignores `handle` and returns the session without a handle.
  absl::StatusOr<std::shared_ptr<WorkerSession>> Find(absl::string_view handle,
                                                      bool created) const;

  // Removes and returns the session, or returns null if there is none.
  // Remembers the handles of the last 10,000 calls, so that Create can refuse
  // them.
  std::shared_ptr<WorkerSession> Remove(absl::string_view handle);

  // Returns the masters whose sessions on this task have all been idle for
  // `idle`. This task's own master and sessions without a master's name are
  // left out.
  std::vector<MasterProcess> IdleMasters(std::chrono::nanoseconds idle) const;

  // Removes and returns the sessions of `master`. If one of them was used
  // within `idle`, removes nothing and returns an empty result.
  Ended RemoveIdle(const MasterProcess& master, std::chrono::nanoseconds idle);

  size_t num_sessions() const;  // without the session that has no handle
  size_t num_graphs() const;    // of all sessions

  // Returns a new ticket. GetStatus sends the ticket to a master that is going
  // to create a session.
  int64_t NewTicket();

  // Adds the sessions to `status`, beginning with the session that was used
  // last. The session without a handle is listed only if it has been used.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  // Removes the sessions that other processes of the master's task have made,
  // or returns ABORTED, as Create says.
  absl::Status RemoveFormer(const WorkerSessionOptions& options, Ended* ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string task_;
  DeviceSet& devices_;
  const KernelRegistry& kernels_;
  const ServerLimits limits_;
  const FunctionPlanning functions_;
  Clock& clock_;
  const std::shared_ptr<WorkerSession> default_session_;

  // Is the number of microseconds from 1970 to the start of this process. The
  // tickets of this process are larger, and those of earlier processes of this
  // task are smaller.
  const int64_t start_ticket_;

  mutable Mutex mutex_;
  // Is the ticket that NewTicket returned last, or `start_ticket_`.
  int64_t last_ticket_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::shared_ptr<WorkerSession>> sessions_
      ABSL_GUARDED_BY(mutex_);
  // Holds the hashes of removed handles.
  absl::flat_hash_set<uint64_t> removed_ ABSL_GUARDED_BY(mutex_);
  std::deque<uint64_t> tombstones_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_SESSIONS_H_
