// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartialStep is one run of a graph that several calls of RunGraph feed and
// fetch. The first call starts the graph, whose client-terminated _Recvs and
// _Sends use the rendezvous of the step. Each call puts its feeds there and
// takes its fetches from there. PartialSteps holds the partial steps of a task.
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
#include "leat/runtime/step.h"
#include "leat/runtime/step_allocations.h"

namespace leat {

class PartialSteps;

// Is thread-safe. The graph that runs and the calls under way share its
// ownership, and so does the table until the step has ended. The step ends when
// its last call (is_last_partial_run) is answered, when a call fails, or when
// the step table ends it. An error of the graph between two calls is the answer
// to the next call.
class PartialStep : public std::enable_shared_from_this<PartialStep> {
 public:
  // Only PartialSteps calls the constructor, which is public because
  // std::make_shared needs it.
  // `environment` and `table` are borrowed until the step has ended.
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

  // Returns true if this is a run of that graph of the session with that
  // handle.
  bool Runs(absl::string_view session_handle,
            absl::string_view graph_handle) const {
    return session_handle_ == session_handle && graph_handle_ == graph_handle;
  }

  // Ends the graph with the error `why`. If `ends_step`, no more calls come.
  void Fail(const absl::Status& why, bool ends_step);

 private:
  // Describes a call under way.
  struct Visit;

  // Makes the end of the call and its deadline end the step.
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

  // The step does not end while it has users: the graph, calls under way, and
  // those who make it fail. Leave removes a user. If it was the last one and no
  // more calls come, the step ends.
  void Leave();
  // Ends the run in the step table and releases everything.
  void End();

  const WorkerEnvironment& environment_;
  PartialSteps& table_;
  const int64_t step_id_;
  const std::string session_handle_;
  const std::string graph_handle_;
  // Is released by End.
  std::shared_ptr<WorkerSession> session_;
  std::shared_ptr<const RegisteredGraph> graph_;
  std::unique_ptr<RemoteRendezvous> rendezvous_;
  BufferRef state_;  // charges the session for the values and counts of the run
  std::unique_ptr<StepAllocations> allocations_;  // null if not asked for
  std::unique_ptr<Step> step_;

  Mutex mutex_;
  int users_ ABSL_GUARDED_BY(mutex_) = 1;  // the first user is the graph
  // Is true if Join has made the step. `early_` is an error from before.
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
  // was overtaken by the last one must not begin the step again.
  void HasEnded(int64_t step_id);
  // Waits until no step is left.
  void WaitUntilEmpty();

 private:
  // Returns the step of a call. Begins the step and sets `is_new` if the step
  // is not known.
  absl::StatusOr<std::shared_ptr<PartialStep>> FindOrBegin(
      const pb::RunGraphRequest& request,
      std::shared_ptr<WorkerSession> session,
      std::shared_ptr<const RegisteredGraph> graph, bool& is_new);

  const WorkerEnvironment& environment_;
  Mutex mutex_;
  CondVar erased_;
  // Holds the ids of the last steps that have ended, or 0. The next one comes
  // to `next_ended_`.
  std::array<int64_t, 1000> ended_ ABSL_GUARDED_BY(mutex_) = {};
  size_t next_ended_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, std::shared_ptr<PartialStep>> steps_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_PARTIAL_STEP_H_
