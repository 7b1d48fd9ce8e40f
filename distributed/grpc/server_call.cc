// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/grpc/server_call.h"

#include <chrono>
#include <utility>
#include <vector>

#include "leat/distributed/call_errors.h"
#include "leat/distributed/grpc/byte_buffer.h"
#include "leat/distributed/grpc/settings.h"
#include "leat/distributed/grpc/status.h"
#include "leat/distributed/guarded_reply.h"
#include "leat/distributed/wire.h"

namespace leat {
namespace {

using SteadyClock = std::chrono::steady_clock;
using SystemClock = std::chrono::system_clock;

// A call without deadline has one in the far future.
constexpr auto kForever = std::chrono::hours(24 * 365);

}  // namespace

ServerCall::ServerCall(const MethodTable::Entry* entry,
                       grpc::GenericCallbackServerContext& context)
    : entry_(entry), context_(context) {
  if (entry == nullptr) {
    Refuse(UnknownMethodError(context.method()));
    return;
  }
  call_->peer = context.peer();
  const auto left = context.deadline() - SystemClock::now();
  if (left < kForever) {
    call_->deadline = SteadyClock::now() +
                      std::chrono::duration_cast<SteadyClock::duration>(left);
  }
  StartRead(&request_);
}

void ServerCall::OnReadDone(bool ok) {
  if (!ok) {
    return Refuse(absl::InternalError("the call has no request"));
  }
  ReceivedSlices slices = FromByteBuffer(request_);
  request_.Clear();
  absl::StatusOr<Payload> request =
      SplitPayload(std::move(slices), entry_->method.request);
  if (!request.ok()) return Refuse(request.status());
  entry_->handler(call_, *std::move(request),
                  GuardedReply(entry_->method.path,
                               [this](absl::StatusOr<Payload> response) {
                                 Answer(std::move(response));
                               }));
}

void ServerCall::OnCancel() {
  call_->cancellation.Cancel(CallerGoneError(context_.method()));
}

void ServerCall::Answer(absl::StatusOr<Payload> response) {
  if (!response.ok()) return Refuse(response.status());
  absl::StatusOr<std::vector<Segment>> segments =
      EncodePayload(*std::move(response), entry_->method.response);
  if (!segments.ok()) return Refuse(segments.status());
  response_ = ToByteBuffer(*std::move(segments));
  StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
}

void ServerCall::Refuse(const absl::Status& status) {
  context_.AddTrailingMetadata(kSaidByCallee, "1");
  Finish(ToGrpcStatus(status));
}

}  // namespace leat
