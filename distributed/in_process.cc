// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/in_process.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/mutex.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/address.h"
#include "leat/distributed/call_errors.h"
#include "leat/distributed/guarded_reply.h"

namespace leat {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxPort = 65535;

class InProcessCall;
using CallRef = std::shared_ptr<InProcessCall>;

// What listens at an address, and its calls.
class Service {
 public:
  Service(std::string address, const MethodTable& methods,
          int64_t max_message_bytes)
      : address_(std::move(address)),
        methods_(methods),
        max_message_bytes_(max_message_bytes) {}

  const std::string& address() const { return address_; }
  const MethodTable& methods() const { return methods_; }
  int64_t max_message_bytes() const { return max_message_bytes_; }

  // A call ends here when its handler has returned and has replied, so after
  // two calls of Leave. False when it takes no calls any more.
  bool Enter(const CallRef& call);
  void Leave(const CallRef& call);

  // Waits until the calls have ended; after `grace` they lose their callers.
  void Close(std::chrono::nanoseconds grace);

 private:
  const std::string address_;
  const MethodTable& methods_;
  const int64_t max_message_bytes_;
  Mutex mutex_;
  CondVar idle_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<CallRef, int> calls_ ABSL_GUARDED_BY(mutex_);
};

using ServiceRef = std::shared_ptr<Service>;

}  // namespace

class InProcessNetwork::Implementation {
 public:
  explicit Implementation(int num_threads)
      : queue_(NewThreadPool("leat-calls", num_threads)),
        timers_("leat-calls") {}

  WorkQueue& queue() { return *queue_; }
  TimerQueue& timers() { return timers_; }

  absl::StatusOr<ServiceRef> Add(const std::string& address,
                                 const MethodTable& methods,
                                 int64_t max_message_bytes);
  void Remove(const Service& service);

  // Null when nobody listens there. A `waiting` call that is not null is
  // dispatched again as soon as somebody does.
  ServiceRef Find(const std::string& address, const CallRef& waiting);
  void StopWaiting(const std::string& address, const CallRef& waiting);

 private:
  Mutex mutex_;
  int last_port_ ABSL_GUARDED_BY(mutex_) = 0;
  // By canonical address.
  absl::flat_hash_map<std::string, ServiceRef> services_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, absl::flat_hash_set<CallRef>> waiting_
      ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<WorkQueue> queue_;
  TimerQueue timers_;  // ends first: it adds to the queue
};

namespace {

using Network = InProcessNetwork::Implementation;

// The calls of a transport whose `done` has not returned.
class OpenCalls {
 public:
  void Add(const CallRef& call) {
    MutexLock lock(mutex_);
    calls_.insert(call);
  }
  void Remove(const CallRef& call) {
    MutexLock lock(mutex_);
    calls_.erase(call);
    if (calls_.empty()) empty_.NotifyAll();
  }
  std::vector<CallRef> All() {
    MutexLock lock(mutex_);
    return std::vector<CallRef>(calls_.begin(), calls_.end());
  }
  void WaitUntilEmpty() {
    MutexLock lock(mutex_);
    while (!calls_.empty()) empty_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar empty_;
  absl::flat_hash_set<CallRef> calls_ ABSL_GUARDED_BY(mutex_);
};

struct CallParts {
  std::string address = {};
  Method method = {};
  Payload request = {};
  CallOptions options = {};
  Reply done = {};
  int64_t max_message_bytes = 0;  // of the response
};

// Of the bytes that the message would have, all but some of its frame.
int64_t BytesOf(const Payload& payload) {
  int64_t bytes = static_cast<int64_t>(payload.header.size());
  for (const WireTensor& wire : payload.tensors) {
    bytes = SaturatingAdd(bytes, wire.tensor.num_bytes());
  }
  return bytes;
}

// What no transport would send, or no task of that limit receive.
absl::Status CheckMessage(const Payload& payload, TensorField field,
                          int64_t max_bytes, const std::string& address) {
  if (field.number == 0 && !payload.tensors.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(payload.tensors.size(),
                     " tensors in a message that has no field for them"));
  }
  const int64_t bytes = BytesOf(payload);
  if (bytes <= max_bytes) return absl::OkStatus();
  return TooLargeError(address,
                       absl::StrCat("Received message larger than max (", bytes,
                                    " vs. ", max_bytes, ")"));
}

// One call: at the caller until `done` has been called, at the callee until
// its handler is through; either may be first. Thread-safe.
class InProcessCall : public std::enable_shared_from_this<InProcessCall> {
 public:
  // `open` is borrowed until `done` has returned, and so is the network unless
  // the call is on its own thread or the caller has a share of it.
  InProcessCall(const std::shared_ptr<InProcessNetwork>& network,
                OpenCalls& open, CallParts parts)
      : network_(network->implementation()),
        share_(network),
        open_(open),
        parts_(std::move(parts)) {
    context_->peer = "in-process";
    context_->deadline = parts_.options.deadline;
  }

  // To be called once.
  void Start();
  // On a thread of the network: looks for the callee and calls its handler.
  void Dispatch();
  // The caller does not wait any longer.
  void Abandon(const absl::Status& why);
  // The callee's listener does not wait any longer.
  void Lose();

 private:
  // Gives the caller its result unless it has one; `why_cancelled`, if not OK,
  // is for the callee. Touches nothing of the network afterwards.
  void End(absl::StatusOr<Payload> result, absl::Status why_cancelled = {});
  bool HasEnded() {
    MutexLock lock(mutex_);
    return has_ended_;
  }
  void Handle(const ServiceRef& service);
  absl::StatusOr<Payload> CheckResponse(absl::StatusOr<Payload> response);

  Network& network_;
  const std::weak_ptr<InProcessNetwork> share_;
  OpenCalls& open_;
  CallParts parts_;
  const std::shared_ptr<CallContext> context_ = std::make_shared<CallContext>();

  Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Cancellation::Token> token_ ABSL_GUARDED_BY(mutex_);
  std::optional<TimerQueue::Id> timer_ ABSL_GUARDED_BY(mutex_);
};

void InProcessCall::Start() {
  const CallRef self = shared_from_this();
  const std::weak_ptr<InProcessCall> weak = self;
  bool is_cancelled = false;
  {
    // What is registered here may end the call at once, which waits until it
    // is known what to take back.
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
        // This is anybody's thread: without a share, all might be gone as soon
        // as `done` has returned. A network that has ended has no open calls.
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
  for (;;) {
    if (HasEnded()) return;
    const bool waits = parts_.options.wait_for_ready;
    const ServiceRef service =
        network_.Find(parts_.address, waits ? self : nullptr);
    if (service == nullptr) {
      if (!waits) End(UnreachableError(parts_.address, "nobody listens there"));
      // One that ended meanwhile may have come too early to be found waiting.
      if (waits && HasEnded()) network_.StopWaiting(parts_.address, self);
      return;
    }
    // One that closes is not found again.
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
    // Before the reply, which would be the callee's.
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
    timer = std::exchange(timer_, std::nullopt);
  }
  const CallRef self = shared_from_this();
  if (token) parts_.options.cancellation->Deregister(*token);
  if (timer) network_.timers().Cancel(*timer);
  if (parts_.options.wait_for_ready) {
    network_.StopWaiting(parts_.address, self);
  }
  network_.queue().Add([self, result = std::move(result),
                        why_cancelled = std::move(why_cancelled)]() mutable {
    std::exchange(self->parts_.done, nullptr)(std::move(result));
    if (!why_cancelled.ok()) {
      self->context_->cancellation.Cancel(std::move(why_cancelled));
    }
    self->open_.Remove(self);
  });
}

void InProcessCall::Abandon(const absl::Status& why) {
  End(why, CallerGoneError(parts_.method.path));
}

void InProcessCall::Lose() {
  End(UnreachableError(parts_.address, "it has stopped"));
  // Also where the caller has long had its result.
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
  const Clock::time_point now = Clock::now();
  const Clock::time_point end = grace > Clock::time_point::max() - now
                                    ? Clock::time_point::max()
                                    : now + grace;
  std::vector<CallRef> calls;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    while (!calls_.empty() && idle_.WaitUntil(mutex_, end)) {
    }
    for (const auto& [call, steps] : calls_) calls.push_back(call);
  }
  for (const CallRef& call : calls) call->Lose();
  MutexLock lock(mutex_);
  while (!calls_.empty()) idle_.Wait(mutex_);
}

class InProcessListener final : public Listener {
 public:
  InProcessListener(std::shared_ptr<InProcessNetwork> network,
                    ServiceRef service)
      : network_(std::move(network)), service_(std::move(service)) {}
  ~InProcessListener() override { Shutdown(std::chrono::nanoseconds(0)); }

  const std::string& address() const override { return service_->address(); }

  void Shutdown(std::chrono::nanoseconds grace) override {
    network_->implementation().Remove(*service_);
    service_->Close(grace);
  }

 private:
  const std::shared_ptr<InProcessNetwork> network_;
  const ServiceRef service_;
};

class InProcessTransport final : public Transport {
 public:
  InProcessTransport(std::shared_ptr<InProcessNetwork> network,
                     int64_t max_message_bytes)
      : network_(std::move(network)), max_message_bytes_(max_message_bytes) {}

  ~InProcessTransport() override {
    const absl::Status why = AsTransportError(
        absl::CancelledError("the transport of the call has been closed"));
    for (const CallRef& call : open_.All()) call->Abandon(why);
    open_.WaitUntilEmpty();
  }

  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    LEAT_CHECK(request.pending == nullptr);
    CallParts parts;
    parts.address = std::string(address);
    parts.method = method;
    parts.request = std::move(request);
    parts.options = std::move(options);
    parts.done = std::move(done);
    parts.max_message_bytes = max_message_bytes_;
    // `done` may be what this transport has waited for to go.
    const std::shared_ptr<InProcessNetwork> network = network_;
    const auto call =
        std::make_shared<InProcessCall>(network, open_, std::move(parts));
    open_.Add(call);
    call->Start();
  }

  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) override {
    LEAT_RETURN_IF_ERROR(CheckAddress(address));
    LEAT_ASSIGN_OR_RETURN(
        ServiceRef service,
        network_->implementation().Add(address, methods, max_message_bytes_));
    return std::make_unique<InProcessListener>(network_, std::move(service));
  }

 private:
  const std::shared_ptr<InProcessNetwork> network_;
  const int64_t max_message_bytes_;
  OpenCalls open_;
};

}  // namespace

absl::StatusOr<ServiceRef> InProcessNetwork::Implementation::Add(
    const std::string& address, const MethodTable& methods,
    int64_t max_message_bytes) {
  absl::flat_hash_set<CallRef> waiting;
  ServiceRef service;
  {
    MutexLock lock(mutex_);
    std::string chosen = address;
    if (HasFreePort(address)) {
      do {
        last_port_ = last_port_ % kMaxPort + 1;
        chosen =
            absl::StrCat(address.substr(0, address.size() - 1), last_port_);
      } while (services_.contains(CanonicalAddress(chosen)));
    }
    const std::string key = CanonicalAddress(chosen);
    if (services_.contains(key)) {
      return CannotListenError(address, "Address already in use");
    }
    service = std::make_shared<Service>(chosen, methods, max_message_bytes);
    services_.emplace(key, service);
    if (const auto found = waiting_.find(key); found != waiting_.end()) {
      waiting = std::move(found->second);
      waiting_.erase(found);
    }
  }
  for (const CallRef& call : waiting) {
    queue_->Add([call] { call->Dispatch(); });
  }
  return service;
}

void InProcessNetwork::Implementation::Remove(const Service& service) {
  MutexLock lock(mutex_);
  const auto found = services_.find(CanonicalAddress(service.address()));
  if (found != services_.end() && found->second.get() == &service) {
    services_.erase(found);
  }
}

ServiceRef InProcessNetwork::Implementation::Find(const std::string& address,
                                                  const CallRef& waiting) {
  const std::string key = CanonicalAddress(address);
  MutexLock lock(mutex_);
  const auto found = services_.find(key);
  if (found != services_.end()) return found->second;
  if (waiting != nullptr) waiting_[key].insert(waiting);
  return nullptr;
}

void InProcessNetwork::Implementation::StopWaiting(const std::string& address,
                                                   const CallRef& waiting) {
  MutexLock lock(mutex_);
  const auto found = waiting_.find(CanonicalAddress(address));
  if (found == waiting_.end()) return;
  found->second.erase(waiting);
  if (found->second.empty()) waiting_.erase(found);
}

InProcessNetwork::InProcessNetwork(int num_threads)
    : implementation_(std::make_unique<Implementation>(num_threads)) {}

InProcessNetwork::~InProcessNetwork() = default;

absl::StatusOr<std::unique_ptr<Transport>> NewInProcessTransport(
    const TransportOptions& options) {
  std::shared_ptr<InProcessNetwork> network = options.network;
  if (network == nullptr) network = std::make_shared<InProcessNetwork>();
  return std::make_unique<InProcessTransport>(std::move(network),
                                              options.max_message_bytes);
}

}  // namespace leat
