// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/call_gate.h"

#include "absl/strings/str_cat.h"

namespace leat {

// A Visit is the reply of a call that is inside. The call leaves the gate when
// the reply is called, or destroyed without having been called. A Visit is
// movable. The handler gets a Visit as its Reply.
class CallGate::Visit {
 public:
  Visit(CallGate& gate, Reply reply) : gate_(&gate), reply_(std::move(reply)) {}
  Visit(Visit&& other) noexcept
      : gate_(std::exchange(other.gate_, nullptr)),
        reply_(std::exchange(other.reply_, nullptr)) {}
  Visit& operator=(Visit&&) = delete;
  ~Visit() {
    if (gate_ == nullptr) return;
    reply_ = nullptr;  // Replies with an error (GuardedReply).
    gate_->Leave();
  }

  void operator()(absl::StatusOr<Payload> response) && {
    CallGate& gate = *std::exchange(gate_, nullptr);
    std::exchange(reply_, nullptr)(std::move(response));
    gate.Leave();
  }

 private:
  CallGate* gate_;  // null after the call has left
  Reply reply_;
};

absl::Status CallGate::reason() const {
  return absl::UnavailableError(absl::StrCat("task ", task_, " is stopping"));
}

Handler CallGate::Around(Handler handler) {
  return
      [this, handler = std::move(handler)](std::shared_ptr<CallContext> context,
                                           Payload request, Reply reply) {
        if (!Enter()) return std::move(reply)(reason());
        handler(std::move(context), std::move(request),
                Visit(*this, std::move(reply)));
      };
}

void CallGate::Close() {
  MutexLock lock(mutex_);
  is_closed_ = true;
}

bool CallGate::WaitUntil(Clock& clock, Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (inside_ > 0) {
    if (!clock.WaitUntil(left_, mutex_, deadline)) break;
  }
  return inside_ == 0;
}

size_t CallGate::num_inside() const {
  MutexLock lock(mutex_);
  return inside_;
}

bool CallGate::Enter() {
  MutexLock lock(mutex_);
  if (is_closed_) return false;
  ++inside_;
  return true;
}

void CallGate::Leave() {
  // Notifies under the lock, because a waiting thread may destroy this as soon
  // as it wakes.
  MutexLock lock(mutex_);
  if (--inside_ == 0) left_.NotifyAll();
}

}  // namespace leat
