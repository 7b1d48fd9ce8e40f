// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerStep: one call of RunGraph on a task, from its feeds to its reply.
// RunningSteps: the steps of a task that have not replied yet.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_STEP_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_STEP_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/exchange/remote_rendezvous.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/step_counts.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/distributed/worker/registered_graph.h"
#include "leat/distributed/worker/worker_session.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/step.h"
#include "leat/runtime/step_stats.h"

namespace leat {

class WorkerStep;

// The steps of a task that run. Thread-safe. It does not own them.
class RunningSteps {
 public:
  // Adds a step and counts it. `session` is the handle of the step's session.
  void Add(std::shared_ptr<WorkerStep> step, int64_t step_id,
           absl::string_view session);
  // Removes a step that is about to reply.
  void Remove(const WorkerStep* step, bool succeeded);
  // Fails the steps that run now.
  void FailAll(const absl::Status& why);
  // The number of steps that run now.
  size_t size() const;

  // Adds to `status` how many steps there were, and the oldest ones that run.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  // A step, with its ids as they are shown to people.
  struct Entry {
    std::weak_ptr<WorkerStep> step = {};
    // For people. The ids are shortened, since a whole one could be misused
    // (shown_ids.h).
    uint32_t step_id = 0;      // by ShownStep
    std::string session = {};  // by ShownHandle
    Clock::time_point begun = {};
  };

  mutable Mutex mutex_;
  absl::flat_hash_map<const WorkerStep*, Entry> steps_ ABSL_GUARDED_BY(mutex_);
  StepCounts counts_;
};

// A call of RunGraph, as it was received.
struct RunGraphCall {
  std::shared_ptr<CallContext> context = {};
  pb::RunGraphRequest request = {};  // without feeds
  Payload feeds = {};                // its header is in `request`
  std::chrono::system_clock::time_point received = {};
  Reply reply = {};
  // Counts the reply to the master's task. Borrowed; may be null.
  PeerTraffic* traffic = nullptr;
  int64_t received_bytes = 0;
};

// Replies with the tensors, or with the error, which is in the response if the
// call asked for that. Consumes `call`.
void ReplyToRunGraph(RunGraphCall& call, const absl::Status& status,
                     pb::RunGraphResponse response = {},
                     WireTensors tensors = {});

// A run of one graph in a step. Thread-safe. It owns itself until it has
// replied, and shares the ownership of its session and its graph until then.
class WorkerStep : public std::enable_shared_from_this<WorkerStep> {
 public:
  // What a step needs of its worker. Borrowed; must outlive the step's reply.
  struct Environment {
    DeviceSet* devices = nullptr;
    StepTable* steps = nullptr;
    TimerQueue* timers = nullptr;
    RunningSteps* running = nullptr;
    const OpRegistry* ops = nullptr;
    int64_t max_message_bytes = 0;
  };

  // Runs `graph` for `call`, and replies when nothing of it runs any more. Does
  // not block, and copies little on this thread.
  //
  // Beside the step's own errors the reply is INVALID_ARGUMENT for wrong feeds
  // and for a fetch that is dead, ABORTED for a step that has ended before,
  // DEADLINE_EXCEEDED, or, when the caller gives up, CANCELLED (derived, since
  // it is not the cause of anything).
  static void Run(const Environment& environment,
                  std::shared_ptr<WorkerSession> session,
                  std::shared_ptr<const RegisteredGraph> graph,
                  RunGraphCall call);

  // For Run only. (std::make_shared needs a public constructor.)
  WorkerStep(const Environment& environment,
             std::shared_ptr<WorkerSession> session,
             std::shared_ptr<const RegisteredGraph> graph, RunGraphCall call);

  // Ends the step early, with `why`. Does nothing once it is about to reply.
  void Fail(const absl::Status& why);

 private:
  // Starts the graph, or fails.
  void Begin();
  // Starts the graph. Returns why it could not be started.
  absl::Status TryBegin();
  // Decodes the feeds, and finds which return values are to be fetched.
  absl::Status TakeFeeds();
  // Makes the step of the runtime, unless this has failed before.
  absl::StatusOr<Step*> MakeStep();
  // Sets the timer of the call's deadline.
  void StartTimer();

  // The number of users keeps a step from replying while it is used. Enter adds
  // a user, and returns false if the step is about to reply. The last user that
  // leaves replies.
  bool Enter();
  void Leave();
  // True if Complete takes too long for a transport's thread.
  bool CompletesSlowly() const;
  // Replies, and then releases everything.
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

  const Environment environment_;
  std::shared_ptr<WorkerSession> session_;
  std::shared_ptr<const RegisteredGraph> graph_;
  RunGraphCall call_;

  // Written before the graph is started. The runtime's step refers to them.
  std::vector<Tensor> arguments_;
  std::vector<Tensor> returns_;
  std::vector<int> fetched_;  // indices in returns_, as requested
  std::shared_ptr<RemoteRendezvous> rendezvous_;
  std::shared_ptr<StepStatsRecorder> recorder_;  // null if not asked for
  std::optional<Cancellation::Token> cancellation_;
  TimerQueue::Id timer_ = 0;

  Mutex mutex_;
  // The users that have entered, of which Begin is the first. 0 once it
  // replies.
  int users_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::Status early_ ABSL_GUARDED_BY(mutex_);  // error before step_ is made
  std::unique_ptr<Step> step_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_STEP_H_
