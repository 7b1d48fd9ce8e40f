// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// WorkerStep: one call of RunGraph, from its feeds to its reply. RunningSteps:
// those of a task that have not replied yet. Both thread-safe.
#ifndef LEAT_DISTRIBUTED_WORKER_STEP_H_
#define LEAT_DISTRIBUTED_WORKER_STEP_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/core/tensor.h"
#include "leat/core/timer_queue.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"
#include "leat/distributed/registered_graph.h"
#include "leat/distributed/remote_rendezvous.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/step_counts.h"
#include "leat/distributed/step_table.h"
#include "leat/distributed/traffic.h"
#include "leat/distributed/worker_session.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/step.h"
#include "leat/runtime/step_stats.h"

namespace leat {

class WorkerStep;

class RunningSteps {
 public:
  // `session`: its handle.
  void Add(std::shared_ptr<WorkerStep> step, int64_t step_id,
           absl::string_view session);
  void Remove(const WorkerStep* step, bool succeeded);
  // Fails those that there are now.
  void FailAll(const absl::Status& why);
  size_t size() const;

  // How many there were, and the oldest of those that there are.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  struct Entry {
    std::weak_ptr<WorkerStep> step = {};
    uint32_t step_id = 0;      // as it is shown
    std::string session = {};  // as it is shown
    std::chrono::steady_clock::time_point begun = {};
  };

  mutable Mutex mutex_;
  absl::flat_hash_map<const WorkerStep*, Entry> steps_ ABSL_GUARDED_BY(mutex_);
  StepCounts counts_;
};

// A call, as it was received.
struct RunGraphCall {
  std::shared_ptr<CallContext> context = {};
  pb::RunGraphRequest request = {};  // without feeds
  Payload feeds = {};                // its header is in `request`
  std::chrono::system_clock::time_point received = {};
  Reply reply = {};
  // With the master's task, which the reply is counted for. Borrowed; may be
  // null.
  PeerTraffic* traffic = nullptr;
  int64_t received_bytes = 0;
};

// Replies: with the tensors, or with the error, which is in the response if the
// call asked for that. Consumes `call`.
void ReplyToRunGraph(RunGraphCall& call, const absl::Status& status,
                     pb::RunGraphResponse response = {},
                     WireTensors tensors = {});

class WorkerStep : public std::enable_shared_from_this<WorkerStep> {
 public:
  // All borrowed, outlive the step's reply.
  struct Environment {
    DeviceSet* devices = nullptr;
    StepTable* steps = nullptr;
    TimerQueue* timers = nullptr;
    RunningSteps* running = nullptr;
    const OpRegistry* ops = nullptr;
    int64_t max_message_bytes = 0;
  };

  // Runs it, and replies when nothing of it runs any more. Does not block, and
  // copies little on this thread. The reply is, beside what the step itself
  // fails with, INVALID_ARGUMENT for wrong feeds and for a fetch that is dead,
  // ABORTED for a step that has ended before, DEADLINE_EXCEEDED, and CANCELLED
  // (derived: it is not the cause of anything) when the caller gives up.
  static void Run(const Environment& environment,
                  std::shared_ptr<WorkerSession> session,
                  std::shared_ptr<const RegisteredGraph> graph,
                  RunGraphCall call);

  // Use Run.
  WorkerStep(const Environment& environment,
             std::shared_ptr<WorkerSession> session,
             std::shared_ptr<const RegisteredGraph> graph, RunGraphCall call);

  // Ends the step early; does nothing once it is about to reply.
  void Fail(const absl::Status& why);

 private:
  void Begin();
  absl::Status TryBegin();
  absl::Status TakeFeeds();
  absl::StatusOr<Step*> MakeStep();
  void StartTimer();

  // Whoever touches the step enters; the last one to leave replies.
  bool Enter();
  void Leave();
  // Complete() is nothing for a thread of a transport.
  bool CompletesSlowly() const;
  void Complete();
  absl::Status TakeOutcome();
  void EndStep(const absl::Status& status);
  absl::Status CollectFetches(WireTensors& tensors);
  absl::Status Describe(pb::RunGraphResponse& response);

  const Environment environment_;
  std::shared_ptr<WorkerSession> session_;
  std::shared_ptr<const RegisteredGraph> graph_;
  RunGraphCall call_;

  // Written before the graph is started.
  std::vector<Tensor> arguments_;
  std::vector<Tensor> returns_;
  std::vector<int> fetched_;  // of returns_, as the call asks for them
  std::shared_ptr<RemoteRendezvous> rendezvous_;
  std::shared_ptr<StepStatsRecorder> recorder_;  // null: not asked for
  std::optional<Cancellation::Token> cancellation_;
  TimerQueue::Id timer_ = 0;

  Mutex mutex_;
  int users_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::Status early_ ABSL_GUARDED_BY(mutex_);  // before there was a step
  std::unique_ptr<Step> step_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_STEP_H_
