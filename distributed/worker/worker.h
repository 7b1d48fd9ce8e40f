// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Worker: what a task does for masters and peers (TensorFlow's WorkerService).
// It keeps the sessions and graphs of masters, runs its part of their steps,
// and sends tensors to peers.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/requests/request_ids.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/worker/master_process.h"
#include "leat/distributed/worker/worker_sessions.h"
#include "leat/distributed/worker/worker_step.h"

namespace leat {

class DeviceSet;
class KernelRegistry;
class OpRegistry;
class Peers;
class StepOutbox;
class StepTable;
class TensorReceiver;
class TimerQueue;
class Traffic;
class WorkQueue;
struct StatusListing;

// What a worker needs. Pointers are borrowed, not null, and must outlive the
// worker and the calls that it serves.
struct WorkerEnvironment {
  std::string task = {};  // "/job:ps/replica:0/task:0"
  // The task's devices, and what its graphs are imported and compiled with.
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  // The task's steps, which the worker begins and ends.
  StepTable* steps = nullptr;
  // The tasks from which its graphs receive, and what receives. The traffic of
  // the tasks counts what the worker answers.
  Peers* peers = nullptr;
  const TensorReceiver* receiver = nullptr;
  TimerQueue* timers = nullptr;
  // Runs work that takes long and may block, such as compiling a graph.
  WorkQueue* blocking = nullptr;
  // What the worker accepts. Errors name the flag of the limit.
  ServerLimits limits = {};
};

// Thread-safe. Owns the sessions of masters and their graphs. What takes long
// runs on the blocking queue or the compute pool, so handlers return quickly.
class Worker {
 public:
  explicit Worker(WorkerEnvironment environment);
  // REQUIRES: no call of its methods is under way.
  ~Worker();

  // Adds every method of the service. The handlers borrow this.
  void AddMethods(MethodTable& methods);

  // Fails every running step with `why` (not OK).
  void EndSteps(const absl::Status& why);

  // Returns the masters whose sessions on this task have all been idle for
  // `idle`. This task's own master is left out.
  std::vector<MasterProcess> IdleMasters(std::chrono::nanoseconds idle) const;
  // Ends the sessions of `master`, unless one of them was used within `idle`.
  // `why` completes the error of their steps: "is over: ..." for "Session 12ab
  // is over: ...". Takes long.
  void EndIdleSessions(const MasterProcess& master,
                       std::chrono::nanoseconds idle, absl::string_view why);

  // How many objects a worker has now.
  struct Counters {
    // Sessions of masters, and the graphs of all sessions.
    size_t sessions = 0;
    size_t graphs = 0;
    size_t running = 0;  // calls of RunGraph
  };
  Counters counters() const;

  // Adds the worker's sessions and steps to `status`.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  using Thread = RequestQueue::Thread;

  template <class Request, class Response>
  using Function = absl::StatusOr<Response> (Worker::*)(Request);

  // Serves `method` with a function from a request message to a response
  // message.
  template <class Request, class Response>
  void Add(const Method& method, Thread thread,
           Function<Request, Response> function, MethodTable& methods);
  // Parses the message, and returns what `serve` makes of it.
  template <class Request, class Serve>
  absl::StatusOr<Payload> Answer(Payload message, Serve serve);

  absl::StatusOr<pb::GetStatusResponse> GetStatus(pb::GetStatusRequest);
  absl::StatusOr<pb::CreateWorkerSessionResponse> CreateWorkerSession(
      pb::CreateWorkerSessionRequest);
  absl::StatusOr<pb::DeleteWorkerSessionResponse> DeleteWorkerSession(
      pb::DeleteWorkerSessionRequest);
  void RegisterGraph(std::shared_ptr<CallContext> context, Payload payload,
                     Reply reply);
  absl::StatusOr<pb::RegisterGraphResponse> RegisterGraphOf(
      const CallContext& context, const pb::RegisterGraphRequest& request);
  absl::StatusOr<pb::DeregisterGraphResponse> DeregisterGraph(
      pb::DeregisterGraphRequest);
  absl::StatusOr<pb::CleanupGraphResponse> CleanupGraph(
      pb::CleanupGraphRequest);
  absl::StatusOr<pb::CleanupAllResponse> CleanupAll(pb::CleanupAllRequest);
  absl::StatusOr<pb::MarkRecvFinishedResponse> MarkRecvFinished(
      pb::MarkRecvFinishedRequest);
  absl::StatusOr<pb::LoggingResponse> Logging(pb::LoggingRequest);
  absl::StatusOr<pb::TracingResponse> Tracing(pb::TracingRequest);

  void RunGraph(std::shared_ptr<CallContext> context, Payload payload,
                Reply reply);
  void ParseRunGraph(RunGraphCall call);
  absl::Status StartStep(RunGraphCall& call);
  void Recv(RecvForm form, std::shared_ptr<CallContext> context,
            const Payload& payload, Reply reply);
  // Returns the outbox of a step from which a peer wants tensors. Fails if
  // the request has come before. `reply` is changed so that it ends the peer's
  // wait: a caller that goes away must not leave behind a step that only it has
  // asked for.
  absl::StatusOr<std::shared_ptr<StepOutbox>> AwaitStep(int64_t step_id,
                                                        int64_t request_id,
                                                        const char* method,
                                                        Reply& reply);

  // Ends a step whose master will not use it any more.
  void Forget(int64_t step_id);
  // Forgets these steps. Returns INVALID_ARGUMENT, and forgets none, if there
  // are too many.
  absl::Status ForgetAll(const google::protobuf::RepeatedField<int64_t>& steps);
  // Ends sessions that have been removed from the table, and their steps.
  void EndSessions(const WorkerSessions::Ended& ended, absl::string_view why);

  const WorkerEnvironment environment_;
  const std::shared_ptr<Traffic> traffic_;
  const uint64_t incarnation_;
  RequestQueue requests_;
  const WorkerStep::Environment step_environment_;
  WorkerSessions sessions_;
  RequestIds create_ids_;
  RequestIds register_ids_;
  RequestIds run_ids_;
  RequestIds recv_ids_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_H_
