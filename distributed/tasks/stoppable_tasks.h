// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StoppableTasks: the tasks of a cluster, as they are called by a master that
// may have to stop while one of them is silent. Steps, sessions and clients
// cancel the calls that they wait for; every other call can be cancelled here.
#ifndef LEAT_DISTRIBUTED_TASKS_STOPPABLE_TASKS_H_
#define LEAT_DISTRIBUTED_TASKS_STOPPABLE_TASKS_H_

#include <memory>

#include "absl/status/status.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/tasks/tasks.h"

namespace leat {

// Thread-safe.
class StoppableTasks final : public Tasks {
 public:
  // `tasks` is borrowed and must outlive this.
  explicit StoppableTasks(Tasks& tasks) : tasks_(tasks) {}

  // Do what `tasks` does, with a cancellation for calls that have none.
  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done) override;
  void GetStatus(absl::string_view task, CallOptions options,
                 StatusDone done) override;

  // Cancels, with `why` (not OK), all calls, present and future, that were
  // given no cancellation of their own. Idempotent.
  void Stop(const absl::Status& why) { stopping_->Cancel(why); }

 private:
  // Returns `options` with a cancellation.
  CallOptions Stoppable(CallOptions options) const;

  Tasks& tasks_;
  const std::shared_ptr<Cancellation> stopping_ =
      std::make_shared<Cancellation>();
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_STOPPABLE_TASKS_H_
