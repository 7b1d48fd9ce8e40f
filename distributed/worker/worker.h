// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Worker serves masters and peers (TensorFlow's WorkerService). It keeps the
// sessions and graphs of masters, runs this task's parts of their steps, and
// sends tensors to peers.
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
#include "leat/distributed/requests/request_ids.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/worker/partial_step.h"
#include "leat/distributed/worker/worker_environment.h"
#include "leat/distributed/worker/worker_session.h"
#include "leat/distributed/worker/worker_sessions.h"
#include "leat/distributed/worker/worker_step.h"

namespace leat {

class Traffic;
struct StatusListing;

// Is thread-safe. Owns the sessions of masters and their graphs. Handlers
// return quickly, because slow work runs on the blocking queue or the compute
// pool.
class Worker {
 public:
  explicit Worker(WorkerEnvironment environment);
  // REQUIRES: no call of its methods is under way.
  ~Worker();

  // Adds every method of the service. The handlers borrow this.
  void AddMethods(MethodTable& methods);

  // Returns the masters whose sessions on this task have all been idle for
  // `idle`. This task's own master is left out.
  std::vector<MasterProcess> IdleMasters(std::chrono::nanoseconds idle) const;
  // Ends the sessions of `master`, unless one of them was used within `idle`.
  // The error of their steps is "Session 12ab " followed by `why`, which begins
  // with a verb, such as "is over: ...". The call may take a long time.
  void EndIdleSessions(const MasterProcess& master,
                       std::chrono::nanoseconds idle, absl::string_view why);

  // Holds the numbers of objects that a worker has now.
  struct Counters {
    // `sessions` counts the sessions of masters. `graphs` counts the graphs of
    // all sessions.
    size_t sessions = 0;
    size_t graphs = 0;
    size_t running = 0;  // calls of RunGraph
  };
  Counters counters() const;

  // Waits until the steps of partial runs have ended. REQUIRES: no call of
  // RunGraph comes, and StepTable::FailRuns was called.
  void WaitForPartialSteps() { partial_steps_.WaitUntilEmpty(); }

  // Adds the worker's sessions and steps to `status`.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  using Thread = RequestQueue::Thread;

  template <class Request, class Response>
  using Function = absl::StatusOr<Response> (Worker::*)(const CallContext&,
                                                        Request);

  // Adds a handler for `method` that calls `function` with the request message
  // and replies with the response message.
  template <class Request, class Response>
  void Add(const Method& method, Thread thread,
           Function<Request, Response> function, MethodTable& methods);
  // Parses the message, calls the function, and returns its response as a
  // payload.
  template <class Request, class Response>
  absl::StatusOr<Payload> Answer(Function<Request, Response> function,
                                 const CallContext& context, Payload message);

  absl::StatusOr<pb::GetStatusResponse> GetStatus(const CallContext&,
                                                  pb::GetStatusRequest);
  absl::StatusOr<pb::CreateWorkerSessionResponse> CreateWorkerSession(
      const CallContext&, pb::CreateWorkerSessionRequest);
  absl::StatusOr<pb::DeleteWorkerSessionResponse> DeleteWorkerSession(
      const CallContext&, pb::DeleteWorkerSessionRequest);
  absl::StatusOr<pb::RegisterGraphResponse> RegisterGraph(
      const CallContext&, pb::RegisterGraphRequest);
  absl::StatusOr<pb::DeregisterGraphResponse> DeregisterGraph(
      const CallContext&, pb::DeregisterGraphRequest);
  absl::StatusOr<pb::CleanupGraphResponse> CleanupGraph(
      const CallContext&, pb::CleanupGraphRequest);
  absl::StatusOr<pb::CleanupAllResponse> CleanupAll(const CallContext&,
                                                    pb::CleanupAllRequest);
  absl::StatusOr<pb::MarkRecvFinishedResponse> MarkRecvFinished(
      const CallContext&, pb::MarkRecvFinishedRequest);
  absl::StatusOr<pb::LoggingResponse> Logging(const CallContext&,
                                              pb::LoggingRequest);
  absl::StatusOr<pb::TracingResponse> Tracing(const CallContext&,
                                              pb::TracingRequest);

  void RunGraph(std::shared_ptr<CallContext> context, Payload payload,
                Reply reply);
  void ParseRunGraph(RunGraphCall call);
  absl::Status StartStep(RunGraphCall& call);
  void Recv(RecvForm form, std::shared_ptr<CallContext> context,
            const Payload& payload, Reply reply);

  // Ends a step that its master will not use any more.
  void Forget(int64_t step_id);
  // Calls Forget for each of these steps. Returns INVALID_ARGUMENT, and forgets
  // no step, if there are too many.
  absl::Status ForgetAll(const google::protobuf::RepeatedField<int64_t>& steps);
  // Ends sessions that have been removed from the table, and their steps.
  void EndSessions(const WorkerSessions::Ended& ended, absl::string_view why);

  const WorkerEnvironment environment_;
  const std::shared_ptr<Traffic> traffic_;
  const uint64_t incarnation_;
  RequestQueue requests_;
  WorkerSessions sessions_;
  PartialSteps partial_steps_;
  RequestIds create_ids_;
  RequestIds register_ids_;
  RequestIds run_ids_;
  RequestIds recv_ids_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_H_
