// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartialStep is one run of a graph that several calls of RunGraph feed and
// fetch. The first call starts the graph, whose client-terminated _Recvs and
// _Sends use the rendezvous of the step. Each call puts its feeds into the
// rendezvous and takes its fetches from it. PartialSteps holds the partial
// steps of a task.
#ifndef LEAT_DISTRIBUTED_WORKER_PARTIAL_STEP_H_
#define LEAT_DISTRIBUTED_WORKER_PARTIAL_STEP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/worker/worker_environment.h"
#include "leat/distributed/worker/worker_step.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/executor/step_allocations.h"

namespace leat {

class PartialSteps;

// Is thread-safe. The running graph and the calls under way share its
// ownership. The table also shares the ownership until the step has ended. The
// step ends when its last call (is_last_partial_run) is answered, when a call
// fails, or when the step table ends it. If the graph fails between two calls,
// the next call gets the error.
class PartialStep : public std::enable_shared_from_this<PartialStep> {
 public:
  // `environment` and `table` are borrowed until the step has ended. Only
  // PartialSteps calls this. (std::make_shared needs a public constructor.)
  PartialStep(const WorkerEnvironment& environment, PartialSteps& table,
              const pb::RunGraphRequest& request,
              std::shared_ptr<WorkerSession> session,
              std::shared_ptr<const RegisteredGraph> graph);
  ~PartialStep();

  // Begins the run in the step table. Fails as StepTable::Begin does, and with
  // RESOURCE_EXHAUSTED if the session has no memory for the state of the run.
  absl::Status Join();
  // Starts the graph. REQUIRES: Join has succeeded, and this is called once.
  void Start();
  // Serves one call and replies to it.
  void Serve(RunGraphCall call);

  // Returns true if this step runs the graph `graph_handle` of the session
  // `session_handle`.
  bool Runs(absl::string_view session_handle,
            absl::string_view graph_handle) const {
    return session_handle_ == session_handle && graph_handle_ == graph_handle;
  }

  // Ends the graph with the error `why`. If `ends_step` is true, the step takes
  // no more calls.
  void Fail(const absl::Status& why, bool ends_step);

 private:
  // Describes a call under way.
  struct Visit;

  // Makes the graph fail when the call is cancelled or its deadline has passed.
  void Watch(const std::shared_ptr<Visit>& visit);
  // Puts the feeds of the call into the rendezvous.
  absl::Status Feed(Visit& visit);
  // Feeds and takes the fetches. Calls Settle when all fetches have come.
  void Exchange(const std::shared_ptr<Visit>& visit);
  // Answers the call. If it is the last one or has failed, waits for the graph
  // first.
  void Settle(const std::shared_ptr<Visit>& visit, const absl::Status& status);
  void Answer(Visit& visit);
  // Is called when the graph has ended.
  void GraphHasEnded();

  // The step does not end while it has users. The users are the running graph,
  // the calls under way, and the running calls of Fail. Leave removes a user.
  // If it was the last user and the step takes no more calls, the step ends.
  void Leave();
  // Ends the run in the step table and releases everything.
  void End();

  const WorkerEnvironment& environment_;
  PartialSteps& table_;
  const int64_t step_id_;
  const std::string session_handle_;
  const std::string graph_handle_;
  // End releases these objects.
  std::shared_ptr<WorkerSession> session_;
  std::shared_ptr<const RegisteredGraph> graph_;
  std::unique_ptr<RemoteRendezvous> rendezvous_;
  BufferRef state_;  // charges the session for the values and counts of the run
  std::unique_ptr<StepAllocations> allocations_;  // null if not asked for
  std::unique_ptr<Step> step_;

  Mutex mutex_;
  int users_ ABSL_GUARDED_BY(mutex_) = 1;  // the first user is the graph
  // `is_joined_` is true if Join has made the step. `early_` is an error that
  // occurred before that.
  bool is_joined_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status early_ ABSL_GUARDED_BY(mutex_);
  bool graph_has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool takes_calls_ ABSL_GUARDED_BY(mutex_) = true;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  // Holds the calls that are answered when the graph has ended.
  std::vector<std::shared_ptr<Visit>> waiting_ ABSL_GUARDED_BY(mutex_);
};

// Is thread-safe.
class PartialSteps {
 public:
  // Limits the number of partial steps of a task that have not ended.
  static constexpr size_t kMaxSteps = 10'000;

  // `environment` is borrowed and must outlive this.
  explicit PartialSteps(const WorkerEnvironment& environment)
      : environment_(environment) {}
  // REQUIRES: no step is left.
  ~PartialSteps();

  // Serves a call of RunGraph that is partial. Replies with RESOURCE_EXHAUSTED
  // if there are too many partial steps, and with INVALID_ARGUMENT if the step
  // runs another graph.
  void Run(std::shared_ptr<WorkerSession> session,
           std::shared_ptr<const RegisteredGraph> graph, RunGraphCall call);
  // Ends the runs of a graph that its master has deregistered.
  void EndRunsOf(const WorkerSession& session, absl::string_view graph_handle);
  // Forgets a step that has ended, but keeps its id for a while: a call that
  // arrives after the last call must not begin the step again.
  void HasEnded(int64_t step_id);
  // Waits until no step is left.
  void WaitUntilEmpty();

 private:
  // Returns the step of a call. If the step is not known, begins the step and
  // sets `is_new` to true.
  absl::StatusOr<std::shared_ptr<PartialStep>> FindOrBegin(
      const pb::RunGraphRequest& request,
      std::shared_ptr<WorkerSession> session,
      std::shared_ptr<const RegisteredGraph> graph, bool& is_new);

  const WorkerEnvironment& environment_;
  Mutex mutex_;
  CondVar erased_;
  // Holds the ids of the steps that ended last. Unused places hold 0. The next
  // id is stored at index `next_ended_`.
  std::array<int64_t, 1000> ended_ ABSL_GUARDED_BY(mutex_) = {};
  size_t next_ended_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, std::shared_ptr<PartialStep>> steps_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_PARTIAL_STEP_H_
