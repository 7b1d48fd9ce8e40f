// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/client_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/grpc/byte_buffer.h"
#include "leat/distributed/transport/grpc/settings.h"
#include "leat/distributed/transport/grpc/status.h"
#include "leat/distributed/transport/grpc/why_unreachable.h"
#include "leat/distributed/transport/heartbeat.h"
#include "leat/distributed/wire/wire.h"

namespace leat {
namespace {

using SteadyClock = std::chrono::steady_clock;
using SystemClock = std::chrono::system_clock;

// Is the message with which a gRPC server rejects calls while it shuts down.
constexpr char kShuttingDown[] = "CANCELLED";

// gRPC reports the first message when the quota of the peer is used up, and the
// second when the quota of this process is used up.
constexpr char kQuotaOfPeer[] = "Received RST_STREAM with error code 11";
constexpr char kOwnQuota[] = "Buffers full";

bool IsQuotaError(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         (status.error_message() == kQuotaOfPeer ||
          status.error_message() == kOwnQuota);
}

// Returns true if the status comes from a server that speaks HTTP/2 but not
// gRPC, such as a proxy. gRPC converts the HTTP status to a status code.
bool IsOfHttpServer(const grpc::Status& status) {
  return absl::StartsWith(status.error_message(),
                          "Received http2 header with status");
}

}  // namespace

ClientCall::ClientCall(absl::string_view address, const Method& method,
                       CallOptions options, Reply done, OpenClientCalls& open,
                       int64_t max_transport_bytes)
    : entry_(open, this),
      address_(address),
      method_(method),
      options_(std::move(options)),
      done_(std::move(done)),
      max_transport_bytes_(max_transport_bytes) {}

void ClientCall::EndEarly(Ending ending) {
  Ending by_peer = Ending::kByPeer;
  ending_.compare_exchange_strong(by_peer, ending);
  context_.TryCancel();
}

void ClientCall::Start(const std::shared_ptr<grpc::Channel>& channel,
                       std::shared_ptr<Heartbeat> heartbeat, Payload request,
                       grpc::CompletionQueue& queue) {
  self_ = shared_from_this();
  heartbeat_ = std::move(heartbeat);
  if (heartbeat_ != nullptr) heartbeat_->Add(self_);
  absl::StatusOr<std::vector<Segment>> segments =
      EncodePayload(std::move(request), method_.request);
  if (!segments.ok()) return Fail(AsTransportError(segments.status()), queue);
  request_ = ToByteBuffer(*std::move(segments));
  if (request_.Length() >= kAnnouncedBytes) {
    context_.AddMetadata(kRequestBytes, absl::StrCat(request_.Length()));
  }
  context_.set_wait_for_ready(options_.wait_for_ready);
  SetDeadline();
  RegisterCancellation();
  grpc::GenericStub stub(channel);
  reader_ = stub.PrepareUnaryCall(&context_, method_.path, request_, &queue);
  reader_->StartCall();
  reader_->Finish(&response_, &status_, &call_end_);
}

void ClientCall::SetDeadline() {
  if (!options_.deadline.has_value()) return;
  const SteadyClock::time_point now = SteadyClock::now();
  const auto left = std::max(*options_.deadline, now) - now;
  if (left >= kForever) return;
  context_.set_deadline(
      SystemClock::now() +
      std::chrono::duration_cast<SystemClock::duration>(left));
}

void ClientCall::RegisterCancellation() {
  if (options_.cancellation == nullptr) return;
  const std::weak_ptr<ClientCall> weak = weak_from_this();
  const auto cancel = [weak](const absl::Status&) {
    if (const auto call = weak.lock()) call->Cancel();
  };
  Cancellation::Token token = 0;
  if (options_.cancellation->Register(cancel, &token)) {
    token_ = token;
  } else {
    Cancel();  // Ends the call at once, because it has not been sent.
  }
}

void ClientCall::Fail(absl::Status status, grpc::CompletionQueue& queue) {
  failure_ = std::move(status);
  alarm_.emplace();
  alarm_->Set(&queue, SystemClock::now(), &failure_end_);
}

void ClientCall::EndFailure(bool) { End(failure_); }

void ClientCall::EndCall(bool) { End(ResultOf(status_)); }

void ClientCall::End(absl::StatusOr<Payload> result) {
  const std::shared_ptr<ClientCall> self = std::move(self_);
  if (token_) options_.cancellation->Deregister(*token_);
  if (heartbeat_ != nullptr) heartbeat_->Remove(this);
  request_.Clear();
  std::exchange(done_, nullptr)(std::move(result));
}

absl::StatusOr<Payload> ClientCall::ResultOf(const grpc::Status& status) {
  if (!status.ok()) return ErrorOf(status);
  ReceivedSlices slices = FromByteBuffer(response_);
  absl::StatusOr<Payload> response =
      SplitPayload(std::move(slices), method_.response);
  if (response.ok()) return response;
  return AsTransportError(absl::InternalError(absl::StrCat(
      address_, " answered ", method_.path,
      " with bytes that are not a message: ", response.status().message())));
}

int64_t ClientCall::AnnouncedBytes() const {
  const auto& headers = context_.GetServerInitialMetadata();
  const auto found = headers.find(kResponseBytes);
  int64_t bytes = 0;
  return found != headers.end() &&
                 absl::SimpleAtoi(absl::string_view(found->second.data(),
                                                    found->second.size()),
                                  &bytes)
             ? bytes
             : 0;
}

absl::Status ClientCall::ErrorOf(const grpc::Status& status) {
  if (IsQuotaError(status)) {
    const bool is_response = status.error_message() == kOwnQuota;
    return TooMuchAtOnceError(
        address_, method_.path,
        {.is_response = is_response,
         .never_fits = is_response && AnnouncedBytes() > max_transport_bytes_});
  }
  if (WasSaidByCallee(status)) return AsCalleeError(FromGrpcStatus(status));
  const std::string message = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return UnreachableError(address_, WhyUnreachable(message));
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return LateError(address_, method_.path);
    case grpc::StatusCode::CANCELLED:
      return CancelledError();
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      if (absl::StrContains(message, "larger than max")) {
        return TooLargeError(address_, message);
      }
      break;
    default:
      break;
  }
  const absl::Status error = FromGrpcStatus(status);
  return AsTransportError(absl::Status(
      error.code(),
      absl::StrCat(
          address_,
          IsOfHttpServer(status) ? " is no task, but an HTTP server: " : ": ",
          error.message())));
}

absl::Status ClientCall::CancelledError() const {
  switch (ending_) {
    case Ending::kGivenUp:
      return GivenUpError(address_, method_.path);
    case Ending::kLost:
      return UnreachableError(address_, "it has stopped answering");
    case Ending::kByPeer:
      break;
  }
  return UnreachableError(address_, "it is shutting down");
}

bool ClientCall::WasSaidByCallee(const grpc::Status& status) const {
  if (context_.GetServerTrailingMetadata().count(kSaidByCallee) > 0) {
    return true;
  }
  if (IsOfHttpServer(status)) return false;
  // TensorFlow's tasks do not mark their errors. So this function returns false
  // for every code that gRPC itself may generate. (When a stream breaks, gRPC
  // generates headers with the status UNAVAILABLE.)
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return false;
    case grpc::StatusCode::CANCELLED:
      if (ending_ != Ending::kByPeer ||
          status.error_message() == kShuttingDown) {
        return false;
      }
      break;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      if (options_.deadline.has_value() &&
          *options_.deadline <= SteadyClock::now()) {
        return false;
      }
      break;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      if (absl::StrContains(status.error_message(), "larger than max")) {
        return false;
      }
      break;
    default:
      break;
  }
  return absl::StrContains(context_.debug_error_string(),
                           "Error received from peer");
}

}  // namespace leat
