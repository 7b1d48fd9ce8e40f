// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/faulty_transport.h"

#include <optional>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat::testing {
namespace {

// A request may be sent after its caller has given up. Then the call is
// cancelled at the callee this long after the request was sent.
constexpr auto kGoneAfter = std::chrono::milliseconds(100);

// Returns true if a call with this fate has at least one fault.
bool IsFaulty(const CallFate& fate) {
  return fate.lost_after.has_value() || fate.again_after.has_value() ||
         fate.request_delay.count() > 0 || fate.reply_delay.count() > 0 ||
         fate.is_overtaken;
}

}  // namespace

// A FaultyCall is one call that suffers faults. Its timers, the other transport
// and the set of open calls own it together.
class FaultyTransport::FaultyCall
    : public std::enable_shared_from_this<FaultyCall> {
 public:
  FaultyCall(FaultyTransport& transport, CallFate fate,
             absl::string_view address, const Method& method, Payload request,
             CallOptions options, Reply done)
      : transport_(transport),
        fate_(fate),
        address_(address),
        method_(method),
        request_(std::move(request)),
        options_(std::move(options)),
        done_(std::move(done)) {}

  // Sends the request, loses it or delays it. REQUIRES: this is called once.
  void Start() {
    if (!Listen()) return GiveUp(GivenUpError(address_, method_.path));
    if (fate_.lost_after.has_value()) {
      At(*fate_.lost_after, [](FaultyCall& call) {
        call.GiveUp(
            UnreachableError(call.address_, "the call was lost on its way"));
      });
    }
    if (fate_.lost_after.has_value() && fate_.is_lost) return;
    if (fate_.is_overtaken) {
      return transport_.Hold(address_, shared_from_this());
    }
    if (fate_.request_delay.count() <= 0) return Send();
    At(fate_.request_delay, [](FaultyCall& call) { call.Send(); });
  }

  // Sends the request, even if the caller has given up meanwhile.
  void Send() {
    CallOptions options = options_;
    options.cancellation = sent_;
    bool has_gone = false;
    {
      MutexLock lock(mutex_);
      is_sent_ = true;
      has_gone = has_ended_;
    }
    if (has_gone) options.deadline = std::nullopt;
    transport_.transport_->Call(
        address_, method_, Copy(), std::move(options),
        [self = shared_from_this()](absl::StatusOr<Payload> reply) {
          self->Answer(std::move(reply));
        });
    if (fate_.again_after.has_value()) {
      At(*fate_.again_after, [](FaultyCall& call) { call.SendAgain(); });
    }
    if (has_gone) {
      At(kGoneAfter, [](FaultyCall& call) {
        call.sent_->Cancel(CallerGoneError(call.method_.path));
      });
    }
  }

  // Ends the call for the caller, which gets the error `why`. If the callee has
  // the request, cancels the call there.
  void GiveUp(const absl::Status& why) {
    if (End(why)) sent_->Cancel(CallerGoneError(method_.path));
  }

 private:
  // Calls `act` with this call after `time`.
  void At(std::chrono::microseconds time, void (*act)(FaultyCall&)) {
    transport_.timers_.After(time,
                             [self = shared_from_this(), act] { act(*self); });
  }

  // Makes the call end at its deadline and when it is cancelled. Returns false
  // if it is cancelled already.
  bool Listen() {
    const std::weak_ptr<FaultyCall> weak = weak_from_this();
    // A callback that is registered here may end the call at once, on another
    // thread. End then waits for this lock, so that it finds the timer and the
    // token that it must remove.
    MutexLock lock(mutex_);
    if (options_.deadline.has_value()) {
      timer_ = transport_.timers_.At(*options_.deadline, [weak] {
        const CallRef call = weak.lock();
        if (call == nullptr) return;
        call->GiveUp(LateError(call->address_, call->method_.path));
      });
    }
    if (options_.cancellation == nullptr) return true;
    Cancellation::Token token = 0;
    const auto give_up = [weak](const absl::Status&) {
      const CallRef call = weak.lock();
      if (call == nullptr) return;
      call->GiveUp(GivenUpError(call->address_, call->method_.path));
    };
    if (!options_.cancellation->Register(give_up, &token)) return false;
    token_ = token;
    return true;
  }

  Payload Copy() const {
    Payload copy;
    copy.header = request_.header;
    copy.tensors = request_.tensors;
    return copy;
  }

  // Sends the request once more, and ignores the reply.
  void SendAgain() {
    transport_.transport_->Call(address_, method_, Copy(),
                                {.wait_for_ready = options_.wait_for_ready},
                                [](const absl::StatusOr<Payload>&) {});
  }

  // Gives the caller what the callee has answered.
  void Answer(absl::StatusOr<Payload> reply) {
    if (fate_.lost_after.has_value()) return;
    if (fate_.reply_delay.count() <= 0) {
      End(std::move(reply));
      return;
    }
    // The transport and its timers may be destroyed as soon as this call has
    // ended. This lock keeps the call from ending before the timer has been
    // added.
    MutexLock lock(mutex_);
    if (has_ended_) return;
    transport_.timers_.After(
        fate_.reply_delay,
        [self = shared_from_this(), reply = std::move(reply)]() mutable {
          self->End(std::move(reply));
        });
  }

  // Ends the call for its caller with `result`, unless the caller already has a
  // result. Returns true if the caller has got `result` and the callee has
  // received the request. In this case, the code that called End must cancel
  // the call at the callee, unless `result` is the callee's answer.
  bool End(absl::StatusOr<Payload> result) {
    std::optional<Cancellation::Token> token;
    bool is_sent = false;
    {
      MutexLock lock(mutex_);
      if (has_ended_) return false;
      has_ended_ = true;
      token = token_;
      is_sent = is_sent_;
    }
    if (token.has_value()) options_.cancellation->Deregister(*token);
    if (timer_.has_value()) transport_.timers_.Cancel(*timer_);
    transport_.replies_->Add(
        [self = shared_from_this(), result = std::move(result)]() mutable {
          std::move(self->done_)(std::move(result));
          self->transport_.Remove(self);
        });
    return is_sent;
  }

  FaultyTransport& transport_;
  const CallFate fate_;
  const std::string address_;
  const Method method_;
  const Payload request_;
  const CallOptions options_;
  Reply done_;
  // Cancels the call that the other transport makes.
  const std::shared_ptr<Cancellation> sent_ = std::make_shared<Cancellation>();

  Mutex mutex_;
  bool is_sent_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Cancellation::Token> token_ ABSL_GUARDED_BY(mutex_);
  std::optional<TimerQueue::Id> timer_;  // not changed after Listen
};

FaultyTransport::FaultyTransport(std::unique_ptr<Transport> transport,
                                 std::shared_ptr<CallFaults> faults)
    : faults_(std::move(faults)),
      transport_(std::move(transport)),
      replies_(NewThreadPool("faults", 1)),
      timers_("faults", transport_->clock()) {}

FaultyTransport::~FaultyTransport() {
  std::vector<CallRef> open;
  {
    MutexLock lock(mutex_);
    open.assign(open_.begin(), open_.end());
  }
  for (const CallRef& call : open) {
    call->GiveUp(AsTransportError(
        absl::CancelledError("the transport of the call has been closed")));
  }
  MutexLock lock(mutex_);
  while (!open_.empty()) changed_.Wait(mutex_);
}

void FaultyTransport::Call(absl::string_view address, const Method& method,
                           Payload request, CallOptions options, Reply done) {
  const CallFate fate =
      faults_->FateOf(Name(), address, method.path, request.header);
  if (!IsFaulty(fate)) {
    transport_->Call(address, method, std::move(request), std::move(options),
                     std::move(done));
  } else {
    const auto call = std::make_shared<FaultyCall>(
        *this, fate, address, method, std::move(request), std::move(options),
        std::move(done));
    {
      MutexLock lock(mutex_);
      open_.insert(call);
    }
    call->Start();
  }
  if (!fate.is_overtaken) LetGo(std::string(address));
}

absl::StatusOr<std::unique_ptr<Listener>> FaultyTransport::Listen(
    const std::string& address, const MethodTable& methods) {
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Listener> listener,
                        transport_->Listen(address, methods));
  MutexLock lock(mutex_);
  name_ = listener->address();
  return listener;
}

std::string FaultyTransport::Name() {
  MutexLock lock(mutex_);
  if (name_.empty()) name_ = faults_->NewClientName();
  return name_;
}

void FaultyTransport::Hold(const std::string& address, const CallRef& call) {
  {
    MutexLock lock(mutex_);
    held_[address].push_back(call);
  }
  timers_.After(faults_->plan().max_delay, [this, address] { LetGo(address); });
}

void FaultyTransport::LetGo(const std::string& address) {
  std::vector<CallRef> calls;
  {
    MutexLock lock(mutex_);
    const auto found = held_.find(address);
    if (found == held_.end()) return;
    calls = std::move(found->second);
    held_.erase(found);
  }
  for (const CallRef& call : calls) call->Send();
}

void FaultyTransport::Remove(const CallRef& call) {
  MutexLock lock(mutex_);
  open_.erase(call);
  changed_.NotifyAll();
}

}  // namespace leat::testing
