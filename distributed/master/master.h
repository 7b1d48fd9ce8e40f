// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Master: serves TensorFlow's MasterService. It keeps the sessions of clients
// and runs their steps on the tasks of the cluster.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/master/master_sessions.h"
#include "leat/distributed/requests/request_ids.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/wire/methods.h"

namespace leat::pb {
class CloseSessionRequest;
class CreateSessionRequest;
class ExtendSessionRequest;
class ListDevicesRequest;
class MakeCallableRequest;
class PartialRunSetupRequest;
class ReleaseCallableRequest;
class ResetRequest;
class RunCallableRequest;
class RunStepRequest;
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

struct DeviceName;
struct StatusListing;

// Thread-safe. Owned by a shared_ptr: the methods and the calls under way share
// the ownership. What `environment` points to is borrowed and must outlive
// this.
class Master : public std::enable_shared_from_this<Master> {
 public:
  // Starts to look for idle sessions. The environment's `notices` are replaced
  // by the master's own. Its `tasks` are stopped when this is stopped.
  explicit Master(MasterEnvironment environment);
  // REQUIRES: Stop was called, or no session was ever made.
  ~Master();

  // Adds every method of the service.
  void AddMethods(MethodTable& methods);

  // Ends every step and session, without waiting for that. Calls that come
  // later are UNAVAILABLE. Idempotent.
  void BeginStop();

  // Does the same and waits until nothing of the steps and sessions is under
  // way. After `deadline` it no longer waits for tasks to confirm that their
  // part of a session has ended. Must not be called on a thread that runs
  // calls. Idempotent.
  void Stop(Clock::time_point deadline);

  // Returns how many sessions of clients are open.
  size_t num_sessions() const;

  // Adds the number of sessions to `status`, and a description of each of those
  // used last, as many as `listing` allows, beginning with the one used last.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  using Call = std::shared_ptr<CallContext>;
  using Thread = RequestQueue::Thread;

  // A handler that gets the parsed request.
  template <class Request>
  using Method = void (Master::*)(Call call, Request request, Reply reply);
  // Adds a method whose requests are parsed and handled on `thread`.
  template <class Request>
  void Serve(const leat::Method& method, Method<Request> handler,
             MethodTable& methods, Thread thread = Thread::kTransport);

  void CreateSession(Call call, pb::CreateSessionRequest request, Reply reply);
  void ExtendSession(Call call, pb::ExtendSessionRequest request, Reply reply);
  void CloseSession(Call call, pb::CloseSessionRequest request, Reply reply);
  void ListDevices(Call call, pb::ListDevicesRequest request, Reply reply);
  void Reset(Call call, pb::ResetRequest request, Reply reply);
  void MakeCallable(Call call, pb::MakeCallableRequest request, Reply reply);
  void ReleaseCallable(Call call, pb::ReleaseCallableRequest request,
                       Reply reply);
  void PartialRunSetup(Call call, pb::PartialRunSetupRequest request,
                       Reply reply);

  // A handler of a method with tensors, which are in the payload. The feeds of
  // `args` are not yet set.
  template <class Request>
  using StepMethod = void (Master::*)(Request request, Payload payload,
                                      MasterSession::StepArgs args,
                                      Reply reply);
  // Adds a method with tensors. Quick requests are handled on the transport's
  // thread, others on the blocking queue.
  template <class Request>
  void ServeStep(const leat::Method& method, StepMethod<Request> handler,
                 MethodTable& methods);
  void RunStep(pb::RunStepRequest request, Payload payload,
               MasterSession::StepArgs args, Reply reply);
  void RunCallable(pb::RunCallableRequest request, Payload payload,
                   MasterSession::StepArgs args, Reply reply);
  // Makes the tensors of `payload`, which are charged to the session.
  absl::Status Materialize(MasterSession& session, Payload& payload) const;

  // Returns the session of a request of `method`. Returns ABORTED if there is
  // none, or if a request with the same id has come before.
  template <class Request>
  absl::StatusOr<std::shared_ptr<MasterSession>> SessionOf(
      const Request& request, absl::string_view method);
  // Clears the containers of the tasks that `filters` allow, then replies.
  void CleanUpTasks(const pb::ResetRequest& request,
                    std::vector<DeviceName> filters,
                    MasterSessions::UnderWay under_way, Reply reply);
  // Returns UNAVAILABLE, naming the task.
  absl::Status Stopping() const;

  const MasterEnvironment environment_;
  RequestQueue requests_;
  RequestIds request_ids_;
  // Ends the sessions that are being created.
  const std::shared_ptr<Cancellation> stopping_ =
      std::make_shared<Cancellation>();
  const std::shared_ptr<MasterSessions> sessions_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_H_
