// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// WorkerSessions: the sessions that masters have with a task, by handle, and
// the one without a handle, which is always there. Thread-safe.
#ifndef LEAT_DISTRIBUTED_WORKER_SESSIONS_H_
#define LEAT_DISTRIBUTED_WORKER_SESSIONS_H_

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
#include "leat/core/mutex.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/master_process.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/worker_session.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_set.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

class WorkerSessions {
 public:
  // `task`: for messages. Devices and kernels are borrowed and outlive this.
  WorkerSessions(std::string task, DeviceSet& devices,
                 const KernelRegistry& kernels, const ServerLimits& limits);
  WorkerSessions(const WorkerSessions&) = delete;
  WorkerSessions& operator=(const WorkerSessions&) = delete;

  using Ended = std::vector<std::shared_ptr<WorkerSession>>;

  // Makes a session unless there is one of that handle. Removes those of the
  // same master task with another incarnation, which nobody will use again, and
  // hands them over in `*ended`; ABORTED instead if one of these has a larger
  // ticket: the request has come late, and its master is no more.
  // INVALID_ARGUMENT for an empty handle and one above 1 KiB,
  // RESOURCE_EXHAUSTED above the limit, ABORTED for a handle that Remove was
  // called with before: nobody would remove it again.
  absl::Status Create(WorkerSessionOptions options, Ended* ended);

  // ABORTED, in TensorFlow's words and with its payload, for an unknown handle:
  // this process may be a restarted one. `created` false: the session without a
  // handle, whatever the handle.
  absl::StatusOr<std::shared_ptr<WorkerSession>> Find(absl::string_view handle,
                                                      bool created) const;

  // The session, which is removed; null when there is none. Its handle is one
  // of the last 10,000 that are remembered.
  std::shared_ptr<WorkerSession> Remove(absl::string_view handle);

  // Other processes that have sessions here, none of them used for so long.
  std::vector<MasterProcess> IdleMasters(std::chrono::nanoseconds idle) const;

  // Removes the sessions of a master; none if one was used since.
  Ended RemoveIdle(const MasterProcess& master, std::chrono::nanoseconds idle);

  size_t num_sessions() const;  // that masters have made
  size_t num_graphs() const;    // of all

  // Of an answer to a master that is going to create a session.
  int64_t NewTicket();

  // Those used last first; the one without a handle when it has been used.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  // Takes those out that another process of that master has made.
  absl::Status RemoveFormer(const WorkerSessionOptions& options, Ended* ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string task_;
  DeviceSet& devices_;
  const KernelRegistry& kernels_;
  const ServerLimits limits_;
  const std::shared_ptr<WorkerSession> default_session_;

  mutable Mutex mutex_;
  // At first a time, so that those of a process before are smaller.
  int64_t last_ticket_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::shared_ptr<WorkerSession>> sessions_
      ABSL_GUARDED_BY(mutex_);
  // Hashes of handles.
  absl::flat_hash_set<uint64_t> removed_ ABSL_GUARDED_BY(mutex_);
  std::deque<uint64_t> tombstones_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_SESSIONS_H_
