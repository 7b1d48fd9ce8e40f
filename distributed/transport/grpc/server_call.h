// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ServerCalls takes the calls of a server and answers them with the handlers of
// a MethodTable. ServerCall is one of these calls.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_SERVER_CALL_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_SERVER_CALL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/support/byte_buffer.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/grpc/announced_request.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

class ServerCall;

// Asks gRPC for calls and owns the calls that have not ended. Is thread-safe.
class ServerCalls {
 public:
  // `methods`, `service` and `queue` are borrowed and must outlive this.
  // `limits` are the limits of a request.
  ServerCalls(const MethodTable& methods, grpc::AsyncGenericService& service,
              grpc::ServerCompletionQueue& queue, const RequestLimits& limits)
      : methods_(methods), service_(service), queue_(queue), limits_(limits) {}

  // Begins to take calls. REQUIRES: the server has been started.
  void Start();
  // Stops asking gRPC for calls. REQUIRES: the server has not been shut down
  // yet.
  void Stop();
  // Waits until every call has ended, that is, until the handlers have replied.
  // REQUIRES: the server has been shut down.
  void WaitUntilEmpty();

 private:
  friend class ServerCall;

  // Asks gRPC for one more call, unless Stop was called.
  void Request();
  // Deletes `call`. REQUIRES: gRPC and the handler have finished with it.
  void Delete(ServerCall* call);

  const MethodTable& methods_;
  grpc::AsyncGenericService& service_;
  grpc::ServerCompletionQueue& queue_;
  const RequestLimits limits_;
  Mutex mutex_;
  CondVar empty_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  size_t num_calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Is a call. The object is made before a client calls, so that gRPC can fill it
// with the next call. It deletes itself when the handler has replied and gRPC
// has finished with the call. gRPC and the handler call its members on any
// thread.
class ServerCall {
 public:
  explicit ServerCall(ServerCalls& calls) : calls_(calls) {}

  // Asks gRPC to fill this object with the next call.
  void Request();

 private:
  // Is called when a call has come or, with `ok` false, when the server was
  // shut down.
  void Begin(bool ok);
  // Is called when the request has been read or, with `ok` false, if there is
  // none.
  void EndRead(bool ok);
  // Is called when the answer has been written, or cannot be written.
  void EndAnswer(bool ok);
  // Is called when the client has its answer, or has given up the call.
  void EndCall(bool ok);

  // Checks the size of the request if it is announced.
  absl::Status CheckSize() const;
  // Calls the handler with the decoded request, or refuses the request.
  void Handle();
  // Sends the handler's response, or its error.
  void Answer(absl::StatusOr<Payload> response);
  // Sends `status`, marked as an error of this task (kSaidByCallee).
  void Refuse(const absl::Status& status);
  // Is called by each user of the call when the user has finished. The last
  // user deletes the call.
  void Release();

  ServerCalls& calls_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  CompletionOf<ServerCall, &ServerCall::Begin> begin_{*this};
  CompletionOf<ServerCall, &ServerCall::EndRead> read_{*this};
  CompletionOf<ServerCall, &ServerCall::EndAnswer> answer_{*this};
  CompletionOf<ServerCall, &ServerCall::EndCall> call_end_{*this};
  // Is the number of users of the call that have not finished. The users are
  // the handling of the request, the answer, and the end of the call.
  std::atomic<int> num_users_{3};
  // Is the method of the call, null until it is known.
  const MethodTable::Entry* entry_ = nullptr;
  const std::shared_ptr<CallContext> call_ = std::make_shared<CallContext>();
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_SERVER_CALL_H_
