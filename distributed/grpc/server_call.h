// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ServerCalls: the calls that a server takes and answers by a MethodTable.
// ServerCall: one of them. Thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_SERVER_CALL_H_
#define LEAT_DISTRIBUTED_GRPC_SERVER_CALL_H_

#include <atomic>
#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/support/byte_buffer.h"
#include "leat/core/mutex.h"
#include "leat/distributed/grpc/polling_threads.h"
#include "leat/distributed/methods.h"

namespace leat {

class ServerCall;

class ServerCalls {
 public:
  // All are borrowed.
  ServerCalls(const MethodTable& methods, grpc::AsyncGenericService& service,
              grpc::ServerCompletionQueue& queue)
      : methods_(methods), service_(service), queue_(queue) {}

  // Once the server has been started.
  void Start();
  // Before the server is shut down: asks it for no more calls.
  void Stop();
  // When the server has been shut down, for the handlers' replies.
  void WaitUntilEmpty();

 private:
  friend class ServerCall;

  // Asks for one more call.
  void Request();
  void Delete(ServerCall* call);

  const MethodTable& methods_;
  grpc::AsyncGenericService& service_;
  grpc::ServerCompletionQueue& queue_;
  Mutex mutex_;
  CondVar empty_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  size_t num_calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Goes when gRPC has done with it, which is after the handler's reply.
class ServerCall {
 public:
  explicit ServerCall(ServerCalls& calls) : calls_(calls) {}

  // Asks for a call to be.
  void Request();

 private:
  void Begin(bool ok);
  void EndRead(bool ok);
  void EndAnswer(bool ok);
  // The client has its answer, or has given up.
  void EndCall(bool ok);

  void Handle();
  void Answer(absl::StatusOr<Payload> response);
  void Refuse(const absl::Status& status);
  void Release();

  ServerCalls& calls_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  CompletionOf<ServerCall, &ServerCall::Begin> begin_{*this};
  CompletionOf<ServerCall, &ServerCall::EndRead> read_{*this};
  CompletionOf<ServerCall, &ServerCall::EndAnswer> answer_{*this};
  CompletionOf<ServerCall, &ServerCall::EndCall> call_end_{*this};
  // Who handles the request, the answer, the end of the call.
  std::atomic<int> num_users_{3};
  const MethodTable::Entry* entry_ = nullptr;
  const std::shared_ptr<CallContext> call_ = std::make_shared<CallContext>();
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_SERVER_CALL_H_
