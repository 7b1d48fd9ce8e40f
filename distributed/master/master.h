// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Master: serves TensorFlow's MasterService. It keeps the sessions of clients
// and runs their steps on the tasks of the cluster.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_H_

#include <cstddef>
#include <memory>

#include "leat/core/threads/clock.h"
#include "leat/distributed/master/master_session.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/wire/methods.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

// Thread-safe. What `environment` points to is borrowed and must outlive this.
class Master {
 public:
  // Starts to look for idle sessions. The environment's `lost_deletions` and
  // `cleanups` are replaced by the master's own.
  explicit Master(MasterEnvironment environment);
  // REQUIRES: Stop was called, or no session was ever made.
  ~Master();

  // Adds every method of the service. The methods borrow this.
  void AddMethods(MethodTable& methods);

  // Ends every step and session, without waiting for that. Calls that come
  // later are UNAVAILABLE. Idempotent.
  void BeginStop();

  // Does the same and waits until nothing of the steps and sessions is under
  // way. After `deadline` it no longer waits for tasks to confirm that their
  // part of a session has ended. Must not be called on a thread that runs
  // calls. Idempotent.
  void Stop(Clock::time_point deadline);

  // Returns how many sessions of clients are open.
  size_t num_sessions() const;

  // Adds the number of sessions to `status`, and a description of each of those
  // used last, as many as `listing` allows, beginning with the one used last.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  class Implementation;
  const std::shared_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_H_
