// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Method describes one of the methods that tasks call on each other.
// MethodTable holds the handlers with which a task answers calls of these
// methods, over any transport.
//
//   MethodTable table;
//   table.Add(methods::kHealthCheck,
//             [](std::shared_ptr<CallContext>, Payload request, Reply reply) {
//               std::move(reply)(absl::UnimplementedError("not yet"));
//             });
//   const MethodTable::Entry* entry = table.Find(methods::kHealthCheck.path);
#ifndef LEAT_DISTRIBUTED_WIRE_METHODS_H_
#define LEAT_DISTRIBUTED_WIRE_METHODS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// Describes the field of a message that holds its tensors. Each tensor is a
// TensorProto or, if `named` is true, a NamedTensorProto. Number 0 means that
// the message has no tensors.
struct TensorField {
  int number = 0;
  bool named = false;
};

// Describes a method as it appears on the wire. The paths of TensorFlow's
// methods begin with TensorFlow's package name, although our .proto files have
// another package name. The files master.proto, worker.proto,
// leat_worker.proto, status.proto and health.proto in protos/ define the
// messages.
struct Method {
  const char* path = "";
  TensorField request = {};
  TensorField response = {};
  // Is null if requests may be large. Otherwise it is the name of the request's
  // message type, and a transport refuses requests larger than
  // kMaxInlineHeaderBytes (messages.h). It refuses them before it joins the
  // received pieces.
  const char* small_request = nullptr;
};

namespace methods {

// These are the methods of a master. Clients call them.
inline constexpr Method kCreateSession{
    "/tensorflow.MasterService/CreateSession"};
inline constexpr Method kExtendSession{
    "/tensorflow.MasterService/ExtendSession"};
inline constexpr Method kPartialRunSetup{
    "/tensorflow.MasterService/PartialRunSetup"};
inline constexpr Method kRunStep{
    "/tensorflow.MasterService/RunStep", {2, true}, {1, true}};
inline constexpr Method kCloseSession{"/tensorflow.MasterService/CloseSession"};
inline constexpr Method kListDevices{"/tensorflow.MasterService/ListDevices"};
inline constexpr Method kReset{"/tensorflow.MasterService/Reset"};
inline constexpr Method kMakeCallable{"/tensorflow.MasterService/MakeCallable"};
inline constexpr Method kRunCallable{
    "/tensorflow.MasterService/RunCallable", {3, false}, {1, false}};
inline constexpr Method kReleaseCallable{
    "/tensorflow.MasterService/ReleaseCallable"};

// These are the methods of a worker. Masters and other workers call them.
inline constexpr Method kGetStatus{"/tensorflow.WorkerService/GetStatus"};
inline constexpr Method kCreateWorkerSession{
    "/tensorflow.WorkerService/CreateWorkerSession"};
inline constexpr Method kDeleteWorkerSession{
    "/tensorflow.WorkerService/DeleteWorkerSession"};
inline constexpr Method kRegisterGraph{
    "/tensorflow.WorkerService/RegisterGraph"};
inline constexpr Method kDeregisterGraph{
    "/tensorflow.WorkerService/DeregisterGraph"};
inline constexpr Method kRunGraph{
    "/tensorflow.WorkerService/RunGraph", {3, true}, {1, true}};
inline constexpr Method kCleanupGraph{"/tensorflow.WorkerService/CleanupGraph"};
inline constexpr Method kCleanupAll{"/tensorflow.WorkerService/CleanupAll"};
inline constexpr Method kRecvTensor{"/tensorflow.WorkerService/RecvTensor",
                                    {},
                                    {1, false},
                                    "RecvTensorRequest"};
inline constexpr Method kMarkRecvFinished{
    "/tensorflow.WorkerService/MarkRecvFinished"};
inline constexpr Method kRecvBuf{
    "/tensorflow.WorkerService/RecvBuf", {}, {}, "RecvBufRequest"};
inline constexpr Method kCompleteGroup{
    "/tensorflow.WorkerService/CompleteGroup", {}, {}, "CompleteGroupRequest"};
inline constexpr Method kCompleteInstance{
    "/tensorflow.WorkerService/CompleteInstance",
    {},
    {},
    "CompleteInstanceRequest"};
inline constexpr Method kGetStepSequence{
    "/tensorflow.WorkerService/GetStepSequence",
    {},
    {},
    "GetStepSequenceRequest"};
inline constexpr Method kLogging{"/tensorflow.WorkerService/Logging"};
inline constexpr Method kTracing{"/tensorflow.WorkerService/Tracing"};

// These are Leat's own methods.
inline constexpr Method kRecvTensors{
    "/leat.WorkerService/RecvTensors", {}, {1, false}, "RecvTensorsRequest"};
inline constexpr Method kFetchChunk{
    "/leat.WorkerService/FetchChunk", {}, {1, false}, "FetchChunkRequest"};
inline constexpr Method kAbortCollectives{
    "/leat.WorkerService/AbortCollectives", {}, {}, "AbortCollectivesRequest"};
inline constexpr Method kTaskStatus{
    "/leat.StatusService/GetStatus", {}, {}, "TaskStatusRequest"};

// This is gRPC's own method.
inline constexpr Method kHealthCheck{
    "/grpc.health.v1.Health/Check", {}, {}, "HealthCheckRequest"};

}  // namespace methods

// Tells a handler about its call. The transport fills it in before it calls the
// handler. From then on it is thread-safe. Is shared by the transport and the
// handler.
struct CallContext {
  // Is the transport's name for the caller. Messages show it.
  std::string peer = {};
  // Is the time at which the caller stops waiting. Is not set if the call has
  // no deadline.
  std::optional<Clock::time_point> deadline = {};
  // Is cancelled when the caller has given up or is gone.
  Cancellation cancellation;
};

// Ends a call with its response or error. Must be called exactly once, on any
// thread.
using Reply = absl::AnyInvocable<void(absl::StatusOr<Payload>) &&>;

// Handles a call. It is called on a thread of the transport, so it must not
// block and must not copy more than 256 KiB.
using Handler = absl::AnyInvocable<void(std::shared_ptr<CallContext>, Payload,
                                        Reply) const>;

// Maps paths to handlers. It is filled before a transport listens, and is const
// and thread-safe from then on. Entries do not move while the table lives.
class MethodTable {
 public:
  // Describes a method and its handler.
  struct Entry {
    Method method = {};
    Handler handler = {};
  };

  // Adds a handler. REQUIRES: the table has no handler for the path of `method`
  // yet.
  void Add(const Method& method, Handler handler);

  // Replaces the handler for that path with `around(handler)`. REQUIRES: the
  // table has a handler for that path.
  void Wrap(const Method& method, absl::FunctionRef<Handler(Handler)> around);

  // Returns the entry for `path`, owned by the table, or null if the task does
  // not serve that method.
  const Entry* Find(absl::string_view path) const;

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_METHODS_H_
