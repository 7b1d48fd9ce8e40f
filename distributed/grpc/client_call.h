// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ClientCall: one call of a method of another task. OpenClientCalls: those of a
// transport. Thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_CLIENT_CALL_H_
#define LEAT_DISTRIBUTED_GRPC_CLIENT_CALL_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
class Heartbeat;

// Calls that have not been removed.
class OpenClientCalls {
 public:
  void Add(const std::shared_ptr<ClientCall>& call);
  void Remove(const ClientCall* call);
  bool empty() const;

  void CancelAll();
  void LoseAll();
  void WaitUntilEmpty();

  // Removes its call; the first member of that, so that it goes last.
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
  std::vector<std::shared_ptr<ClientCall>> All() const;

  mutable Mutex mutex_;
  CondVar empty_;
  absl::flat_hash_map<const ClientCall*, std::weak_ptr<ClientCall>> calls_
      ABSL_GUARDED_BY(mutex_);
};

class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  // `open` outlives this.
  ClientCall(absl::string_view address, const Method& method,
             CallOptions options, Reply done, OpenClientCalls& open);

  // To be called once. `heartbeat`, which may be null, watches the call. The
  // queue is borrowed until the call is destroyed.
  void Start(const std::shared_ptr<grpc::Channel>& channel,
             std::shared_ptr<Heartbeat> heartbeat, Payload request,
             grpc::CompletionQueue& queue);
  // By the caller.
  void Cancel() { EndEarly(Ending::kGivenUp); }
  // The peer is silent.
  void Lose() { EndEarly(Ending::kLost); }

 private:
  enum class Ending { kByPeer, kGivenUp, kLost };

  void EndEarly(Ending ending);
  void SetDeadline();
  void RegisterCancellation();
  // Ends a call that was not made, on a polling thread.
  void Fail(absl::Status status, grpc::CompletionQueue& queue);
  void EndFailure(bool ok);
  void EndCall(bool ok);
  void End(absl::StatusOr<Payload> result);
  absl::StatusOr<Payload> ResultOf(const grpc::Status& status);
  absl::Status ErrorOf(const grpc::Status& status);
  absl::Status CancelledError() const;
  bool WasSaidByCallee(const grpc::Status& status) const;

  const OpenClientCalls::Entry entry_;
  const std::string address_;
  const Method method_;
  const CallOptions options_;
  Reply done_;
  std::optional<Cancellation::Token> token_;
  std::shared_ptr<Heartbeat> heartbeat_;
  std::atomic<Ending> ending_{Ending::kByPeer};
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
