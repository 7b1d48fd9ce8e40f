// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClientCall is one call of a method of another task over gRPC.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_CLIENT_CALL_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_CLIENT_CALL_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/alarm.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/status.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/transport/open_client_calls.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

class Heartbeat;

// A ClientCall is a unary call. It is thread-safe after Start. A call that has
// been started keeps itself alive until it has ended, so users need not keep a
// pointer to the call.
class ClientCall final : public OpenClientCall,
                         public std::enable_shared_from_this<ClientCall> {
 public:
  // Makes a call of `method` at `address`. Errors name the address. `done` is
  // called exactly once, as Transport::Call says. The caller adds the call to
  // `open`, which must outlive the call.
  ClientCall(absl::string_view address, const Method& method,
             CallOptions options, Reply done, OpenClientCalls& open,
             int64_t max_transport_bytes);

  // Sends `request`. `heartbeat` watches the call until the call ends, and may
  // be null. `queue` is borrowed until the call is destroyed. `done` runs on a
  // thread that polls `queue`, even if the request cannot be encoded. REQUIRES:
  // this is called once.
  void Start(const std::shared_ptr<grpc::Channel>& channel,
             std::shared_ptr<Heartbeat> heartbeat, Payload request,
             grpc::CompletionQueue& queue);
  void Cancel() override { EndEarly(Ending::kGivenUp); }
  void Lose() override { EndEarly(Ending::kLost); }

 private:
  // Says who ended the call. If several parties try to end it, the first one
  // counts.
  enum class Ending { kByPeer, kGivenUp, kLost };

  // Records why the call ends and cancels it in gRPC.
  void EndEarly(Ending ending);
  // Translates the deadline of the options to gRPC's clock.
  void SetDeadline();
  // Makes the cancellation of the options cancel the call.
  void RegisterCancellation();
  // Makes a call that was not sent end with `status`. `done` runs on a polling
  // thread.
  void Fail(absl::Status status, grpc::CompletionQueue& queue);
  // EndFailure is called when the alarm that Fail has set goes off. EndCall is
  // called when gRPC has finished the call.
  void EndFailure(bool ok);
  void EndCall(bool ok);
  // Passes `result` to `done` and releases the objects that the call holds.
  void End(absl::StatusOr<Payload> result);
  // Returns the response if `status` is OK, otherwise the error in `status`.
  absl::StatusOr<Payload> ResultOf(const grpc::Status& status);
  // Returns the size of the response that the callee has announced, or 0.
  int64_t AnnouncedBytes() const;
  // Returns the callee's own error as it was sent. Marks other errors as the
  // transport's (kTransportErrorPayload).
  absl::Status ErrorOf(const grpc::Status& status);
  // Returns the error of a cancelled call, which depends on who cancelled it.
  absl::Status CancelledError() const;
  // Returns true if the callee itself sent `status`, false if gRPC generated
  // it.
  bool WasSaidByCallee(const grpc::Status& status) const;

  // This must be the first member, so that it is destroyed last.
  const OpenClientCalls::Entry entry_;
  const std::string address_;
  const Method method_;
  const CallOptions options_;
  Reply done_;
  const int64_t max_transport_bytes_;
  // `token_` is the registration with the cancellation, and `heartbeat_`
  // watches the call. End removes the call from both.
  std::optional<Cancellation::Token> token_;
  std::shared_ptr<Heartbeat> heartbeat_;
  // Says who ended the call. It changes at most once.
  std::atomic<Ending> ending_{Ending::kByPeer};
  // gRPC uses these objects during the call.
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  // gRPC allocates this object in the memory of the call.
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  CompletionOf<ClientCall, &ClientCall::EndCall> call_end_{*this};
  // `failure_` is the error of a call that was not sent. When `alarm_` goes
  // off, a polling thread gives the error to `done_`.
  absl::Status failure_;
  std::optional<grpc::Alarm> alarm_;
  CompletionOf<ClientCall, &ClientCall::EndFailure> failure_end_{*this};
  // Keeps the call alive from Start until it has ended.
  std::shared_ptr<ClientCall> self_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_CLIENT_CALL_H_
