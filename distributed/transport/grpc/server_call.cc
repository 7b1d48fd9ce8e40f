// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/server_call.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/distributed/requests/guarded_reply.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/grpc/byte_buffer.h"
#include "leat/distributed/transport/grpc/settings.h"
#include "leat/distributed/transport/grpc/status.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/wire.h"

namespace leat {
namespace {

using SteadyClock = std::chrono::steady_clock;
using SystemClock = std::chrono::system_clock;

// Is the number of calls that gRPC is asked for in advance. When a call comes,
// the server asks for another one. If more calls come at the same moment, gRPC
// keeps the additional calls until the server asks for them.
constexpr int kRequestedCalls = 16;

}  // namespace

void ServerCalls::Start() {
  for (int i = 0; i < kRequestedCalls; ++i) Request();
}

void ServerCalls::Stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
}

void ServerCalls::WaitUntilEmpty() {
  MutexLock lock(mutex_);
  while (num_calls_ > 0) empty_.Wait(mutex_);
}

void ServerCalls::Request() {
  auto call = std::make_unique<ServerCall>(*this);
  // Calls are requested under the lock. Stop waits for the lock, and the server
  // is shut down only after Stop. So no call is requested after the shutdown.
  MutexLock lock(mutex_);
  if (is_stopped_) return;
  ++num_calls_;
  call.release()->Request();
}

void ServerCalls::Delete(ServerCall* call) {
  delete call;
  MutexLock lock(mutex_);
  if (--num_calls_ == 0) empty_.NotifyAll();
}

void ServerCall::Request() {
  context_.AsyncNotifyWhenDone(&call_end_);
  calls_.service_.RequestCall(&context_, &stream_, &calls_.queue_,
                              &calls_.queue_, &begin_);
}

void ServerCall::Begin(bool ok) {
  // If `ok` is false, the server has been shut down. gRPC then does not report
  // the end of this call.
  if (!ok) return calls_.Delete(this);
  calls_.Request();
  entry_ = calls_.methods_.Find(context_.method());
  if (entry_ == nullptr) {
    Refuse(UnknownMethodError(context_.method()));
    return Release();
  }
  call_->peer = context_.peer();
  const auto left = context_.deadline() - SystemClock::now();
  if (left < kForever) {
    call_->deadline = SteadyClock::now() +
                      std::chrono::duration_cast<SteadyClock::duration>(left);
  }
  if (const absl::Status status = CheckSize(); !status.ok()) {
    if (IsTransportError(status)) {
      // Sends the error without kSaidByCallee, so that the caller treats it as
      // an error of the transport.
      stream_.Finish(ToGrpcStatus(AsCalleeError(status)), &answer_);
    } else {
      Refuse(status);
    }
    return Release();
  }
  stream_.Read(&request_, &read_);
}

absl::Status ServerCall::CheckSize() const {
  const auto& headers = context_.client_metadata();
  const auto announced = headers.find(kRequestBytes);
  if (announced == headers.end()) return absl::OkStatus();
  return CheckAnnouncedRequest(
      absl::string_view(announced->second.data(), announced->second.size()),
      calls_.limits_);
}

void ServerCall::EndRead(bool ok) {
  if (ok) {
    Handle();
  } else {
    Refuse(absl::InternalError("the call has no request"));
  }
  Release();
}

void ServerCall::Handle() {
  const Method& method = entry_->method;
  const size_t bytes = request_.Length();
  ReceivedSlices slices = FromByteBuffer(request_);
  if (method.small_request != nullptr) {
    const absl::Status status = CheckInlineHeader(method.small_request, bytes);
    if (!status.ok()) return Refuse(status);
  }
  absl::StatusOr<Payload> request =
      SplitPayload(std::move(slices), method.request);
  if (!request.ok()) return Refuse(request.status());
  entry_->handler(
      call_, *std::move(request),
      GuardedReply(method.path, [this](absl::StatusOr<Payload> response) {
        Answer(std::move(response));
      }));
}

void ServerCall::Answer(absl::StatusOr<Payload> response) {
  if (!response.ok()) return Refuse(response.status());
  absl::StatusOr<std::vector<Segment>> segments =
      EncodePayload(*std::move(response), entry_->method.response);
  if (!segments.ok()) return Refuse(segments.status());
  response_ = ToByteBuffer(*std::move(segments));
  if (response_.Length() >= kAnnouncedBytes) {
    context_.AddInitialMetadata(kResponseBytes,
                                absl::StrCat(response_.Length()));
  }
  stream_.WriteAndFinish(response_, grpc::WriteOptions(), grpc::Status::OK,
                         &answer_);
}

void ServerCall::Refuse(const absl::Status& status) {
  context_.AddTrailingMetadata(kSaidByCallee, "1");
  stream_.Finish(ToGrpcStatus(status), &answer_);
}

void ServerCall::EndAnswer(bool) { Release(); }

void ServerCall::EndCall(bool) {
  if (context_.IsCancelled()) {
    call_->cancellation.Cancel(CallerGoneError(context_.method()));
  }
  Release();
}

void ServerCall::Release() {
  if (num_users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    calls_.Delete(this);
  }
}

}  // namespace leat
