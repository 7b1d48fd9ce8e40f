// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Master: what a task does for clients, TensorFlow's MasterService: keeps their
// sessions and answers for them. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_H_
#define LEAT_DISTRIBUTED_MASTER_H_

#include <chrono>
#include <cstddef>
#include <memory>

#include "leat/distributed/master_session.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/status_listing.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

class Master {
 public:
  explicit Master(MasterEnvironment environment);
  // REQUIRES: Stop was called, or no session ever made.
  ~Master();

  // Every method of the service; they borrow this.
  void AddMethods(MethodTable& methods);

  // Ends every step and session, and does not wait; calls that come later are
  // UNAVAILABLE. Idempotent.
  void BeginStop();

  // The same, and waits until nothing of them is under way. Tasks that do not
  // answer that their part of a session has ended are not waited for beyond
  // `deadline`. Not to be called on a thread that runs calls. Idempotent.
  void Stop(std::chrono::steady_clock::time_point deadline);

  size_t num_sessions() const;

  // Its sessions, those used last first.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  class Implementation;
  const std::shared_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_H_
