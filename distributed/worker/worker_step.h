// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerStep is one call of RunGraph on a task, from its feeds to its reply.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_STEP_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_STEP_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/distributed/worker/worker_environment.h"
#include "leat/protos/worker.pb.h"

namespace leat {

class PeerTraffic;
class RegisteredGraph;
class RemoteRendezvous;
class Step;
class StepAllocations;
class StepSample;
class StepStatsRecorder;
class WorkerSession;

// Describes a call of RunGraph, as it was received.
struct RunGraphCall {
  std::shared_ptr<CallContext> context = {};
  pb::RunGraphRequest request = {};  // without feeds
  Payload feeds = {};                // `request` is its parsed header
  std::chrono::system_clock::time_point received = {};
  Reply reply = {};
  // Counts the reply to the master's task. Is borrowed and may be null.
  PeerTraffic* traffic = nullptr;
  int64_t received_bytes = 0;
};

// Replies with the tensors or with the error. Puts the error into the response
// if the request asked for that. Otherwise the error is the status of the call.
// Consumes `call`.
void ReplyToRunGraph(RunGraphCall& call, const absl::Status& status,
                     pb::RunGraphResponse response = {},
                     WireTensors tensors = {});

// Returns the error for a dead fetch. `key` is the rendezvous key of the fetch.
absl::Status DeadFetch(absl::string_view key);

// A WorkerStep is a run of one graph in a step. It is thread-safe. Until it has
// replied, it owns itself and shares the ownership of its session and its
// graph.
class WorkerStep : public std::enable_shared_from_this<WorkerStep> {
 public:
  // Runs `graph` for `call`, and replies when no part of the graph runs any
  // more. Does not block, and copies little on this thread. `environment` is
  // borrowed and must outlive the reply.
  //
  // If the step fails, the reply is its error. The reply is INVALID_ARGUMENT
  // for wrong feeds or for a dead fetch, ABORTED if the step had already ended,
  // and DEADLINE_EXCEEDED after the deadline of the call. If the caller cancels
  // the call, the reply is CANCELLED and marked as derived.
  static void Run(const WorkerEnvironment& environment,
                  std::shared_ptr<WorkerSession> session,
                  std::shared_ptr<const RegisteredGraph> graph,
                  RunGraphCall call);

  // Only Run may call this. (std::make_shared needs a public constructor.)
  WorkerStep(const WorkerEnvironment& environment,
             std::shared_ptr<WorkerSession> session,
             std::shared_ptr<const RegisteredGraph> graph, RunGraphCall call);
  ~WorkerStep();

  // Ends the step early, with `why`. Does nothing if the step is about to
  // reply.
  void Fail(const absl::Status& why);

 private:
  // Begins the run in the step table. Returns an error if the graph cannot be
  // run.
  absl::Status Join();
  // Calls TryBegin. If TryBegin fails, calls Fail.
  void Begin();
  // Starts the graph. Returns an error if the graph could not be started.
  absl::Status TryBegin();
  // Decodes the feeds, and finds which return values are to be fetched.
  absl::Status TakeFeeds();
  // Makes the runtime's step. Returns the error if this run has failed already.
  absl::StatusOr<Step*> MakeStep();
  // Sets the timer of the call's deadline.
  void StartTimer();

  // A run does not reply while it has users. Enter adds a user, or returns
  // false if the run is about to reply. Leave removes a user. After the last
  // user has left, the run replies.
  bool Enter();
  void Leave();
  // Returns true if Complete would take too long on a transport's thread.
  bool CompletesSlowly() const;
  // Ends the run in the step table, releases everything, and then replies.
  void Complete();
  // Returns the status with which the step ended, and destroys the runtime's
  // step.
  absl::Status TakeOutcome();
  // Tells the step table that this run is over.
  void EndStep(const absl::Status& status);
  // Moves the fetched values to `tensors`, under their keys.
  absl::Status CollectFetches(WireTensors& tensors);
  // Adds the recorded stats and graphs that the call asked for.
  absl::Status Describe(pb::RunGraphResponse& response);

  const WorkerEnvironment& environment_;
  std::shared_ptr<WorkerSession> session_;
  std::shared_ptr<const RegisteredGraph> graph_;
  RunGraphCall call_;

  // These members are written before the graph is started. The runtime's step
  // refers to them.
  std::vector<Tensor> arguments_;
  std::vector<Tensor> returns_;
  std::vector<int> fetched_;  // indices in returns_, in the requested order
  std::unique_ptr<RemoteRendezvous> rendezvous_;
  // `recorder_` and `allocations_` are null if the call did not ask for them.
  // `sample_` is null if the task does not measure costs.
  std::shared_ptr<StepStatsRecorder> recorder_;
  std::unique_ptr<StepSample> sample_;
  std::unique_ptr<StepAllocations> allocations_;
  std::optional<Cancellation::Token> cancellation_;
  TimerQueue::Id timer_ = 0;

  Mutex mutex_;
  // Is the number of users that have not left. The first user is Begin. The
  // number is 0 when the run replies.
  int users_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::Status early_ ABSL_GUARDED_BY(mutex_);  // error before step_ is made
  std::unique_ptr<Step> step_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_STEP_H_
