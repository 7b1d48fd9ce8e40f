// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Calls of an InProcessNetwork, and who listens on it. For in_process.cc alone.
// Thread-safe.
#ifndef LEAT_DISTRIBUTED_IN_PROCESS_CALL_H_
#define LEAT_DISTRIBUTED_IN_PROCESS_CALL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/in_process.h"
#include "leat/distributed/in_process_faults.h"
#include "leat/distributed/transport.h"

namespace leat {
namespace in_process {

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

}  // namespace in_process

class InProcessNetwork::Implementation {
 public:
  Implementation(int num_threads, std::shared_ptr<InProcessFaults> faults)
      : faults_(std::move(faults)),
        queue_(NewThreadPool("leat-calls", num_threads)),
        timers_("leat-calls") {}

  InProcessFaults* faults() const { return faults_.get(); }
  WorkQueue& queue() { return *queue_; }
  TimerQueue& timers() { return timers_; }
  // What faults call a transport that listens nowhere.
  std::string NewClientName();

  absl::StatusOr<in_process::ServiceRef> Add(const std::string& address,
                                             const MethodTable& methods,
                                             int64_t max_message_bytes);
  void Remove(const in_process::Service& service);

  // Null when nobody listens there. A `waiting` call that is not null is
  // dispatched again as soon as somebody does.
  in_process::ServiceRef Find(const std::string& address,
                              const in_process::CallRef& waiting);
  void StopWaiting(const std::string& address,
                   const in_process::CallRef& waiting);

  // Dispatches `call` when LetGo is called for its way (who calls whom), or
  // after `time`.
  void Hold(const std::string& way, const in_process::CallRef& call,
            std::chrono::nanoseconds time);
  void LetGo(const std::string& way);

 private:
  const std::shared_ptr<InProcessFaults> faults_;  // null: there are none
  Mutex mutex_;
  int num_clients_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, std::vector<in_process::CallRef>> held_
      ABSL_GUARDED_BY(mutex_);
  int last_port_ ABSL_GUARDED_BY(mutex_) = 0;
  // By canonical address.
  absl::flat_hash_map<std::string, in_process::ServiceRef> services_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, absl::flat_hash_set<in_process::CallRef>>
      waiting_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<WorkQueue> queue_;
  TimerQueue timers_;  // ends first: it adds to the queue
};

namespace in_process {

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
  std::string caller = {};  // for faults
  std::string address = {};
  Method method = {};
  Payload request = {};
  CallOptions options = {};
  Reply done = {};
  int64_t max_message_bytes = 0;  // of the response
};

// One call: at the caller until `done` has been called, at the callee until
// its handler is through; either may be first. Thread-safe.
class InProcessCall : public std::enable_shared_from_this<InProcessCall> {
 public:
  // `open`, which may be null, is borrowed until `done` has returned, and so is
  // the network unless the call is on its own thread or the caller has a share
  // of it.
  InProcessCall(Network& network, std::weak_ptr<InProcessNetwork> share,
                OpenCalls* open, CallParts parts)
      : network_(network),
        share_(std::move(share)),
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
  // Towards its callee, as its fate will have it.
  void Depart();
  void DispatchAfter(std::chrono::nanoseconds time);
  void Handle(const ServiceRef& service);
  // The request, once more, for nobody.
  void ArriveAgain(std::chrono::nanoseconds time);
  // What the handler has replied.
  void Answer(absl::StatusOr<Payload> response);
  absl::StatusOr<Payload> CheckResponse(absl::StatusOr<Payload> response);

  Network& network_;
  const std::weak_ptr<InProcessNetwork> share_;
  OpenCalls* const open_;
  CallParts parts_;
  CallFate fate_;  // not changed after Start
  const std::shared_ptr<CallContext> context_ = std::make_shared<CallContext>();

  Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Cancellation::Token> token_ ABSL_GUARDED_BY(mutex_);
  std::vector<TimerQueue::Id> timers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace in_process
}  // namespace leat

#endif  // LEAT_DISTRIBUTED_IN_PROCESS_CALL_H_
