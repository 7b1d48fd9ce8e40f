// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/in_process_call.h"

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/requests/guarded_reply.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat::testing::in_process {
namespace {

// Returns an error for a message that no real transport would send. The error
// is INVALID_ARGUMENT if the message has tensors but no field for them, and
// RESOURCE_EXHAUSTED if the message is larger than `max_bytes`, which is what
// the receiver accepts.
absl::Status CheckMessage(const Payload& payload, TensorField field,
                          int64_t max_bytes, const std::string& address) {
  if (field.number == 0 && !payload.tensors.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(payload.tensors.size(),
                     " tensors are in a message that has no field for them"));
  }
  const int64_t bytes = MessageBytes(payload);
  if (bytes <= max_bytes) return absl::OkStatus();
  return TooLargeError(address,
                       absl::StrCat("Received message larger than max (", bytes,
                                    " vs. ", max_bytes, ")"));
}

}  // namespace

void InProcessCall::Start() {
  const CallRef self = shared_from_this();
  const std::weak_ptr<InProcessCall> weak = self;
  bool is_cancelled = false;
  {
    // A callback that is registered here may end the call at once, on another
    // thread. End then waits for this lock, so that it finds the timer and the
    // token that it must remove.
    MutexLock lock(mutex_);
    if (parts_.options.deadline.has_value()) {
      timer_ = network_.timers().At(*parts_.options.deadline, [weak] {
        if (const CallRef call = weak.lock()) {
          call->Abandon(
              LateError(call->parts_.address, call->parts_.method.path));
        }
      });
    }
    if (parts_.options.cancellation != nullptr) {
      const auto give_up = [weak](const absl::Status&) {
        const CallRef call = weak.lock();
        if (call == nullptr) return;
        // This function runs on any thread. The network may be destroyed as
        // soon as `done` has returned, so this function shares the ownership.
        // If the network is destroyed already, the call is not open any more.
        const auto share = call->share_.lock();
        if (share == nullptr) return;
        call->Abandon(
            GivenUpError(call->parts_.address, call->parts_.method.path));
      };
      Cancellation::Token token = 0;
      if (parts_.options.cancellation->Register(give_up, &token)) {
        token_ = token;
      } else {
        is_cancelled = true;
      }
    }
  }
  if (is_cancelled) {
    return Abandon(GivenUpError(parts_.address, parts_.method.path));
  }
  network_.queue().Add([self] { self->Dispatch(); });
}

void InProcessCall::Dispatch() {
  const CallRef self = shared_from_this();
  const bool waits = parts_.options.wait_for_ready;
  for (;;) {
    if (HasEnded()) return;
    const ServiceRef service =
        network_.Find(parts_.address, waits ? self : nullptr);
    if (service == nullptr) {
      if (!waits) End(UnreachableError(parts_.address, "nobody listens there"));
      // If the call ended between HasEnded and Find, End did not find it among
      // the waiting calls. So the call stops waiting here.
      if (waits && HasEnded()) network_.StopWaiting(parts_.address, self);
      return;
    }
    // If the service has been closed, the next Find does not return it.
    if (service->Enter(self)) return Handle(service);
  }
}

void InProcessCall::Handle(const ServiceRef& service) {
  const CallRef self = shared_from_this();
  const MethodTable::Entry* const entry =
      service->methods().Find(parts_.method.path);
  GuardedReply reply(parts_.method.path,
                     [self, service](absl::StatusOr<Payload> response) {
                       self->End(self->CheckResponse(std::move(response)));
                       service->Leave(self);
                     });
  const absl::Status status =
      entry == nullptr
          ? UnknownMethodError(parts_.method.path)
          : CheckMessage(parts_.request, parts_.method.request,
                         service->max_message_bytes(), parts_.address);
  if (!status.ok()) {
    // Ends the call before the reply. Otherwise the reply would make the error
    // look like an error of the callee.
    End(entry == nullptr ? status : AsTransportError(status));
    std::move(reply)(status);
  } else {
    entry->handler(context_, std::move(parts_.request), std::move(reply));
  }
  service->Leave(self);
}

absl::StatusOr<Payload> InProcessCall::CheckResponse(
    absl::StatusOr<Payload> response) {
  if (!response.ok()) return AsCalleeError(response.status());
  LEAT_CHECK(response->pending == nullptr);
  LEAT_RETURN_IF_ERROR(CheckMessage(*response, parts_.method.response,
                                    parts_.max_message_bytes, parts_.address));
  return response;
}

void InProcessCall::End(absl::StatusOr<Payload> result,
                        absl::Status why_cancelled) {
  std::optional<Cancellation::Token> token;
  std::optional<TimerQueue::Id> timer;
  {
    MutexLock lock(mutex_);
    if (has_ended_) return;
    has_ended_ = true;
    token = std::exchange(token_, std::nullopt);
    timer = timer_;
  }
  const CallRef self = shared_from_this();
  if (token) parts_.options.cancellation->Deregister(*token);
  if (timer) network_.timers().Cancel(*timer);
  if (parts_.options.wait_for_ready) {
    network_.StopWaiting(parts_.address, self);
  }
  network_.queue().Add([self, result = std::move(result),
                        why_cancelled = std::move(why_cancelled)]() mutable {
    // Cancels the handler before `done` is called, so that no handler works for
    // the caller any more when the caller continues.
    if (!why_cancelled.ok()) {
      self->context_->cancellation.Cancel(std::move(why_cancelled));
    }
    std::exchange(self->parts_.done, nullptr)(std::move(result));
    self->open_.Remove(self);
  });
}

void InProcessCall::Abandon(const absl::Status& why) {
  End(why, CallerGoneError(parts_.method.path));
}

void InProcessCall::Lose() {
  End(UnreachableError(parts_.address, "it has stopped"));
  // Cancels the handler even if the caller already has its result.
  network_.queue().Add([self = shared_from_this()] {
    self->context_->cancellation.Cancel(absl::CancelledError(
        absl::StrCat(self->parts_.address, " has stopped")));
  });
}

bool Service::Enter(const CallRef& call) {
  MutexLock lock(mutex_);
  if (is_closed_) return false;
  calls_.emplace(call, 2);
  return true;
}

void Service::Leave(const CallRef& call) {
  MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  if (--found->second > 0) return;
  calls_.erase(found);
  if (calls_.empty()) idle_.NotifyAll();
}

void Service::Close(std::chrono::nanoseconds grace) {
  const Clock::time_point end = clock_.After(grace);
  std::vector<CallRef> calls;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    while (!calls_.empty() && clock_.WaitUntil(idle_, mutex_, end)) {
    }
    for (const auto& [call, steps] : calls_) calls.push_back(call);
  }
  for (const CallRef& call : calls) call->Lose();
  MutexLock lock(mutex_);
  while (!calls_.empty()) idle_.Wait(mutex_);
}

}  // namespace leat::testing::in_process
