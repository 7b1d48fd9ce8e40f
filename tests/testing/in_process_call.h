// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InProcessCall is one call over an InProcessNetwork. Service stands for a
// listener at one address. Network finds services and holds the calls that wait
// for a service. Only in_process_network.cc includes this header.
#ifndef LEAT_TESTS_TESTING_IN_PROCESS_CALL_H_
#define LEAT_TESTS_TESTING_IN_PROCESS_CALL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/transport/transport.h"

namespace leat::testing {

class InProcessNetwork;

namespace in_process {

class InProcessCall;
using CallRef = std::shared_ptr<InProcessCall>;

// Holds the methods that a listener serves at one address, and the calls of
// these methods that are under way. Is thread-safe. Borrows the method table,
// which must live until Close has returned.
class Service {
 public:
  Service(std::string address, const MethodTable& methods,
          int64_t max_message_bytes, Clock& clock)
      : address_(std::move(address)),
        methods_(methods),
        max_message_bytes_(max_message_bytes),
        clock_(clock) {}

  // Returns the address. If the listener asked for port 0, the address has the
  // port that the network chose.
  const std::string& address() const { return address_; }
  const MethodTable& methods() const { return methods_; }
  // Returns the size of the largest request that is accepted, in bytes.
  int64_t max_message_bytes() const { return max_message_bytes_; }

  // Adds a call. The call ends after two calls of Leave: one when its handler
  // has returned, and one when the handler has replied. Returns false if the
  // service is closed.
  bool Enter(const CallRef& call);
  void Leave(const CallRef& call);

  // Refuses new calls and waits until the calls under way have ended. Calls
  // InProcessCall::Lose for calls that have not ended after `grace`. Must not
  // be called on a thread of the network.
  void Close(std::chrono::nanoseconds grace);

 private:
  const std::string address_;
  const MethodTable& methods_;
  const int64_t max_message_bytes_;
  Clock& clock_;
  Mutex mutex_;
  CondVar idle_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Maps each call in progress to how often Leave must still be called before
  // the call ends.
  absl::flat_hash_map<CallRef, int> calls_ ABSL_GUARDED_BY(mutex_);
};

using ServiceRef = std::shared_ptr<Service>;

// Implements InProcessNetwork: finds the service of an address, and holds the
// calls that wait for a service. A Network is thread-safe.
class Network {
 public:
  Network(int num_threads, Clock& clock)
      : queue_(NewThreadPool("leat-calls", num_threads)),
        timers_("leat-calls", clock) {}

  // Returns the queue that runs handlers and replies.
  WorkQueue& queue() { return *queue_; }
  TimerQueue& timers() { return timers_; }

  // Makes a service at `address` and dispatches the calls that wait for it.
  // Port 0 stands for a free port. `methods` is borrowed. Returns UNAVAILABLE
  // if the address is in use.
  absl::StatusOr<ServiceRef> Add(const std::string& address,
                                 const MethodTable& methods,
                                 int64_t max_message_bytes);
  // Removes `service`, so that Find no longer returns it. Calls that have
  // entered it go on.
  void Remove(const Service& service);

  // Returns the service at `address`, or null if there is none. If there is
  // none and `waiting` is not null, the network dispatches the call `waiting`
  // again as soon as there is a service.
  ServiceRef Find(const std::string& address, const CallRef& waiting);
  // Makes a call stop waiting for a service, if Find made it wait.
  void StopWaiting(const std::string& address, const CallRef& waiting);

 private:
  Mutex mutex_;
  int last_port_ ABSL_GUARDED_BY(mutex_) = 0;
  // Holds the services, by canonical address.
  absl::flat_hash_map<std::string, ServiceRef> services_
      ABSL_GUARDED_BY(mutex_);
  // Holds the calls that wait for a service, by canonical address.
  absl::flat_hash_map<std::string, absl::flat_hash_set<CallRef>> waiting_
      ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<WorkQueue> queue_;
  TimerQueue timers_;  // destroyed first: it adds to the queue
};

// Holds the open calls of one transport. A call is open until its `done` has
// returned. An OpenCalls is thread-safe.
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
  // Waits until no call is open. Must not be called on a thread of the network.
  void WaitUntilEmpty() {
    MutexLock lock(mutex_);
    while (!calls_.empty()) empty_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar empty_;
  absl::flat_hash_set<CallRef> calls_ ABSL_GUARDED_BY(mutex_);
};

// Holds the arguments of Transport::Call, and the size limit of the response.
struct CallParts {
  std::string address = {};
  Method method = {};
  Payload request = {};
  CallOptions options = {};
  Reply done = {};
  int64_t max_message_bytes = 0;  // of the response
};

// An InProcessCall is one call. It is open at the caller until `done` has been
// called. It is open at the callee until its handler has returned and replied.
// Either of the two may happen first. An InProcessCall is thread-safe. The
// object that continues the call next (a queue, a timer or a service) owns it
// together with OpenCalls.
class InProcessCall : public std::enable_shared_from_this<InProcessCall> {
 public:
  // Borrows `open` and `network` until `done` has returned. After that, a
  // thread may use `network` only if it is a thread of the network or shares
  // the ownership of the network.
  InProcessCall(Network& network, std::weak_ptr<InProcessNetwork> share,
                OpenCalls& open, CallParts parts)
      : network_(network),
        share_(std::move(share)),
        open_(open),
        parts_(std::move(parts)) {
    context_->peer = "in-process";
    context_->deadline = parts_.options.deadline;
  }

  // Sends the request. REQUIRES: this is called once.
  void Start();
  // Looks for the callee and calls its handler. Runs on a thread of the
  // network.
  void Dispatch();
  // Ends the call for the caller, which gets `why`, and cancels the handler.
  void Abandon(const absl::Status& why);
  // Ends the call because the callee's listener no longer waits for it. The
  // caller gets UNAVAILABLE, and the handler is cancelled.
  void Lose();

 private:
  // Gives the caller `result`, unless the caller already has a result. If
  // `why_cancelled` is not OK, cancels the handler with this error. Does not
  // use the network afterwards.
  void End(absl::StatusOr<Payload> result, absl::Status why_cancelled = {});
  bool HasEnded() {
    MutexLock lock(mutex_);
    return has_ended_;
  }
  // Calls the handler that `service` has for the method. Replies with an error
  // if there is no such handler or if the request is not acceptable. REQUIRES:
  // the call has entered `service`.
  void Handle(const ServiceRef& service);
  // Returns `response`, or an error if a real transport could not send it or
  // the caller would refuse it.
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

}  // namespace in_process
}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_IN_PROCESS_CALL_H_
