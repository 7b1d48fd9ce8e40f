// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The methods that tasks call of each other, and MethodTable: what a task
// answers them with, whatever transport they come by.
#ifndef LEAT_DISTRIBUTED_METHODS_H_
#define LEAT_DISTRIBUTED_METHODS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/distributed/payload.h"

namespace leat {

// The field of a message that holds its tensors: a NamedTensorProto or a
// TensorProto each. Number 0: the message has none.
struct TensorField {
  int number = 0;
  bool named = false;
};

// As on the wire: the paths are TensorFlow's, whose .proto files name another
// package; the messages are those of protos/master.proto and worker.proto.
struct Method {
  const char* path = "";
  TensorField request = {};
  TensorField response = {};
};

namespace methods {

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
inline constexpr Method kRecvTensor{
    "/tensorflow.WorkerService/RecvTensor", {}, {1, false}};
inline constexpr Method kMarkRecvFinished{
    "/tensorflow.WorkerService/MarkRecvFinished"};
inline constexpr Method kLogging{"/tensorflow.WorkerService/Logging"};
inline constexpr Method kTracing{"/tensorflow.WorkerService/Tracing"};

// Leat's own.
inline constexpr Method kRecvTensors{
    "/leat.WorkerService/RecvTensors", {}, {1, false}};
inline constexpr Method kFetchChunk{
    "/leat.WorkerService/FetchChunk", {}, {1, false}};
inline constexpr Method kTaskStatus{"/leat.StatusService/GetStatus"};

// gRPC's own.
inline constexpr Method kHealthCheck{"/grpc.health.v1.Health/Check"};

}  // namespace methods

// Who calls, and until when. Thread-safe.
struct CallContext {
  // The transport's name of the caller, for messages.
  std::string peer = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // When the caller gave up or is gone.
  Cancellation cancellation;
};

// To be called exactly once, on any thread.
using Reply = absl::AnyInvocable<void(absl::StatusOr<Payload>) &&>;

// Called on a transport's thread: must not block, nor copy more than 256 KiB.
using Handler = absl::AnyInvocable<void(std::shared_ptr<CallContext>, Payload,
                                        Reply) const>;

// Filled before a transport listens, then const and thread-safe.
class MethodTable {
 public:
  struct Entry {
    Method method = {};
    Handler handler = {};
  };

  // REQUIRES: no handler of that path yet.
  void Add(const Method& method, Handler handler);

  // Replaces the handler of that path by `around(handler)`. REQUIRES: there is
  // one.
  void Wrap(const Method& method, absl::FunctionRef<Handler(Handler)> around);

  // Null for a method that the task does not serve. Valid as long as the table.
  const Entry* Find(absl::string_view path) const;

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_METHODS_H_
