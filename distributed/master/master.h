// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Master serves TensorFlow's MasterService. It keeps the sessions of clients
// and runs their steps on the tasks of the cluster.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/master/master_sessions.h"
#include "leat/distributed/master/unused_options.h"
#include "leat/distributed/requests/request_ids.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

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

// Is thread-safe. Is owned by a shared_ptr: the methods and the calls under way
// share the ownership. The objects to which `environment` points are borrowed
// and must outlive the master.
class Master : public std::enable_shared_from_this<Master> {
 public:
  // Starts the search for idle sessions. Stop also stops the environment's
  // `tasks` and `notices`.
  explicit Master(MasterEnvironment environment);
  // REQUIRES: Stop was called, or no session was ever made.
  ~Master();

  // Adds every method of the service.
  void AddMethods(MethodTable& methods);

  // Ends every step and session, without waiting until they have ended. From
  // now on, CreateSession returns UNAVAILABLE, and calls that name a session do
  // not find the session. Is idempotent.
  void BeginStop();

  // Calls BeginStop and waits until all steps and sessions have ended. After
  // `deadline`, no longer waits for tasks to confirm that their part of a
  // session has ended. Must not be called on a thread that runs calls. Is
  // idempotent.
  void Stop(Clock::time_point deadline);

  // Returns how many sessions of clients are open.
  size_t num_sessions() const;

  // Adds the number of sessions to `status`, and describes the sessions that
  // were used last. `listing` limits their number. The session used last comes
  // first.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  using Thread = RequestQueue::Thread;

  // Describes a client's call, without its request.
  struct Call {
    std::shared_ptr<CallContext> context = {};
    Clock::time_point begun = {};  // when it arrived
    Payload payload = {};          // its tensors
  };
  // Is a handler that gets the parsed request.
  template <class Request>
  using Method = void (Master::*)(Call call, Request request, Reply reply);
  // Adds a method. Its requests are parsed and handled on `thread`, or on the
  // blocking queue if their tensors take a long time to decode.
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
  void RunStep(Call call, pb::RunStepRequest request, Reply reply);
  void RunCallable(Call call, pb::RunCallableRequest request, Reply reply);
  // Decodes the tensors of `payload` into memory that is charged to the
  // session.
  absl::Status Materialize(MasterSession& session, Payload& payload) const;

  // Returns the session that `request` names. Returns ABORTED if there is no
  // such session, or if an earlier request had the same id. `method` is the
  // name of the called method, for the error message.
  template <class Request>
  absl::StatusOr<std::shared_ptr<MasterSession>> SessionOf(
      const Request& request, absl::string_view method);
  // Asks all tasks of the cluster for their devices, and replies with a list of
  // these devices.
  void ListClusterDevices(Call call, Reply reply);
  // Returns a message that lists `devices`.
  absl::StatusOr<Payload> ListOf(absl::Span<const DeviceInfo> devices) const;
  // Clears the containers that `request` names, both on this task and on the
  // tasks that `filters` allow. Then replies.
  void CleanUpTasks(const pb::ResetRequest& request,
                    std::vector<DeviceName> filters,
                    MasterSessions::UnderWay under_way, Reply reply);

  const MasterEnvironment environment_;
  RequestQueue requests_;
  RequestIds request_ids_;
  UnusedOptions unused_options_;
  // Is cancelled when the master stops. Its cancellation ends the creation of
  // sessions, and calls that belong to no session.
  const std::shared_ptr<Cancellation> stopping_ =
      std::make_shared<Cancellation>();
  const std::shared_ptr<MasterSessions> sessions_;
  std::atomic<int> num_listings_ = 0;  // calls of ListClusterDevices under way
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_H_
