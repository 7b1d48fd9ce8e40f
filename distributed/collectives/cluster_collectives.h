// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterCollectives is what a task does for the collectives of the cluster. It
// leads groups, knows the ids of steps, and hears of members that have failed.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_CLUSTER_COLLECTIVES_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_CLUSTER_COLLECTIVES_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/collectives/session_collectives.h"
#include "leat/distributed/collectives/step_sequences.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

class StepTable;

// Returns the task at which groups form if a session does not name one: the
// first task of the jobs chief, master and worker, in this order, or the first
// task of all. Returns "" for a cluster without tasks.
std::string DefaultGroupLeader(const ClusterSpec& cluster);

// Is thread-safe.
class ClusterCollectives {
 public:
  // `own_task` is the name of this task. References are borrowed and must
  // outlive this and its sessions. The members of groups are asked whether they
  // live after each `ask_members`.
  ClusterCollectives(std::string own_task, const ClusterSpec& cluster,
                     std::chrono::nanoseconds ask_members, TaskCaller& tasks,
                     TimerQueue& timers, StepTable& steps);

  // Adds the methods that the tasks call. The handlers borrow this.
  void AddMethods(MethodTable& methods);

  // Returns a resolver for a session whose groups form at `leader`, or at the
  // default leader if `leader` is empty.
  std::shared_ptr<SessionCollectives> NewSession(const std::string& leader);

  // Is called when a step with collectives has failed, for a worker or a master
  // of this task. (The part that a master has seen fail may be one of another
  // task, or may have no collectives.) Ends the step on all tasks, so that
  // nobody waits for it any more. They are told only once of a step. `session`
  // is that of the worker's run, or null for a master.
  void StepHasFailed(int64_t step_id, const absl::Status& why,
                     SessionCollectives* session = nullptr);

  const std::string& default_leader() const { return environment_.leader; }
  StepSequences& sequences() { return sequences_; }

 private:
  void CompleteGroup(std::shared_ptr<CallContext> context, Payload request,
                     Reply reply);
  void CompleteInstance(std::shared_ptr<CallContext> context, Payload request,
                        Reply reply);
  absl::StatusOr<Payload> GetStepSequence(absl::string_view header);
  absl::StatusOr<Payload> AbortCollectives(absl::string_view header);
  // Moves the sequences on after a step that has failed at another member. Ends
  // the step after it, if that was the next one here.
  void Abandon(int64_t failed_step_id, const absl::Status& why);
  // Ends a step of this task. Returns false if its failure was known.
  bool EndStep(int64_t step_id, const absl::Status& why);
  // Returns the sessions that exist.
  std::vector<std::shared_ptr<SessionCollectives>> Sessions();

  const CollectiveEnvironment environment_;  // with the default leader
  StepTable& steps_;
  StepSequences sequences_;
  const std::shared_ptr<GroupTable> groups_ = std::make_shared<GroupTable>();

  Mutex mutex_;
  std::vector<std::weak_ptr<SessionCollectives>> sessions_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_CLUSTER_COLLECTIVES_H_
