// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ClientCall: one call of a method of another task. OpenClientCalls: those of a
// transport. Thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_CLIENT_CALL_H_
#define LEAT_DISTRIBUTED_GRPC_CLIENT_CALL_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/alarm.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/status.h"
#include "leat/core/mutex.h"
#include "leat/distributed/grpc/polling_threads.h"
#include "leat/distributed/transport.h"

namespace leat {

class ClientCall;

// All that have not been destroyed.
class OpenClientCalls {
 public:
  void Add(const std::shared_ptr<ClientCall>& call);
  void CancelAll();
  void WaitUntilEmpty();

  // The first member of a call, so that it goes last.
  class Entry {
   public:
    Entry(OpenClientCalls& open, const ClientCall* call)
        : open_(open), call_(call) {}
    ~Entry() { open_.Remove(call_); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    OpenClientCalls& open_;
    const ClientCall* const call_;
  };

 private:
  void Remove(const ClientCall* call);

  Mutex mutex_;
  CondVar empty_;
  absl::flat_hash_map<const ClientCall*, std::weak_ptr<ClientCall>> calls_
      ABSL_GUARDED_BY(mutex_);
};

class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  // `open` outlives this.
  ClientCall(absl::string_view address, const Method& method,
             CallOptions options, Reply done, OpenClientCalls& open);

  // To be called once. The queue is borrowed until the call is destroyed.
  void Start(const std::shared_ptr<grpc::Channel>& channel, Payload request,
             grpc::CompletionQueue& queue);
  void Cancel() {
    is_given_up_.store(true, std::memory_order_relaxed);
    context_.TryCancel();
  }

 private:
  void SetDeadline();
  void RegisterCancellation();
  // Ends a call that was not made, on a polling thread.
  void Fail(absl::Status status, grpc::CompletionQueue& queue);
  void EndFailure(bool ok);
  void EndCall(bool ok);
  void End(absl::StatusOr<Payload> result);
  absl::StatusOr<Payload> ResultOf(const grpc::Status& status);
  absl::Status ErrorOf(const grpc::Status& status);
  bool WasSaidByCallee(const grpc::Status& status) const;

  const OpenClientCalls::Entry entry_;
  const std::string address_;
  const Method method_;
  const CallOptions options_;
  Reply done_;
  std::optional<Cancellation::Token> token_;
  std::atomic<bool> is_given_up_{false};
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  // In memory of the call.
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  CompletionOf<ClientCall, &ClientCall::EndCall> call_end_{*this};
  // Of a call that was not made.
  absl::Status failure_;
  std::optional<grpc::Alarm> alarm_;
  CompletionOf<ClientCall, &ClientCall::EndFailure> failure_end_{*this};
  // Until it has ended.
  std::shared_ptr<ClientCall> self_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_CLIENT_CALL_H_
