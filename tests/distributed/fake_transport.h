// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeTransport is a transport for tests. It passes each call to a handler that
// the test has registered for the call's address.
#ifndef LEAT_TESTS_DISTRIBUTED_FAKE_TRANSPORT_H_
#define LEAT_TESTS_DISTRIBUTED_FAKE_TRANSPORT_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/transport.h"

namespace leat::testing {

// A FakeTransport is thread-safe, with two exceptions: Serve must be called
// before the first call, and IgnoreCancellation must be called while no call is
// under way. Owns the handlers. Must outlive its calls.
class FakeTransport final : public Transport {
 public:
  // Handlers run on `threads`, which is borrowed. If `threads` is null,
  // handlers run on the caller's thread. `clock` is the clock of the transport
  // and must outlive the transport.
  explicit FakeTransport(WorkQueue* threads = nullptr,
                         Clock& clock = RealClock())
      : threads_(threads), clock_(clock) {}

  // Makes `handler` the handler of all methods at `address`.
  void Serve(const std::string& address, Handler handler) {
    handlers_.emplace(address, std::move(handler));
  }
  // Makes `handler` the handler of one method at `address`. The handler for all
  // methods does not get the calls of this method.
  void Serve(const std::string& address, const Method& method,
             Handler handler) {
    handlers_.emplace(address + method.path, std::move(handler));
  }
  // From now on, cancelling a call has no effect, as if its reply were already
  // under way.
  void IgnoreCancellation() { ignores_cancellation_ = true; }

  Clock& clock() const override { return clock_; }
  // Fails with UNAVAILABLE if no handler serves the address.
  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    auto call = std::make_shared<OneCall>();
    call->done = std::move(done);
    call->cancellation = options.cancellation;
    auto handler = handlers_.find(std::string(address) + method.path);
    if (handler == handlers_.end()) {
      handler = handlers_.find(std::string(address));
    }
    if (handler == handlers_.end()) {
      return call->End(
          AsTransportError(absl::UnavailableError("connection refused")));
    }
    if (call->cancellation != nullptr && !ignores_cancellation_ &&
        !call->WatchCancellation()) {
      return call->Cancel();
    }
    auto run = [call, &handler = handler->second,
                request = std::move(request)]() mutable {
      handler(call->context, std::move(request),
              [call](absl::StatusOr<Payload> reply) {
                call->End(std::move(reply));
              });
    };
    if (threads_ != nullptr) return threads_->Add(std::move(run));
    run();
  }

  // Only records the address. pinged() lists it if the peer allows pings, and
  // otherwise asked() lists it.
  void WatchPeer(absl::string_view address, bool allows_pings) override {
    MutexLock lock(mutex_);
    (allows_pings ? pinged_ : asked_).emplace_back(address);
  }
  // pinged() returns the addresses for which WatchPeer has allowed pings.
  // asked() returns the other addresses that were passed to WatchPeer.
  std::vector<std::string> pinged() const {
    MutexLock lock(mutex_);
    return pinged_;
  }
  std::vector<std::string> asked() const {
    MutexLock lock(mutex_);
    return asked_;
  }

  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string&, const MethodTable&) override {
    return absl::UnimplementedError("Serve instead");
  }

 private:
  // Describes one call of Call. The first call of End calls `done`. Later calls
  // of End do nothing.
  struct OneCall : std::enable_shared_from_this<OneCall> {
    // Calls Cancel when `cancellation` is cancelled. Returns false if
    // `cancellation` is cancelled already.
    bool WatchCancellation() {
      return cancellation->Register(
          [weak = weak_from_this()](const absl::Status&) {
            if (const auto call = weak.lock()) call->Cancel();
          },
          &token);
    }
    // Cancels the handler's context and ends the call with CANCELLED.
    void Cancel() {
      context->cancellation.Cancel(absl::CancelledError("by the caller"));
      End(AsTransportError(absl::CancelledError("cancelled")));
    }
    void End(absl::StatusOr<Payload> reply) {
      if (has_ended.exchange(true)) return;
      if (token >= 0) cancellation->Deregister(token);
      std::move(done)(std::move(reply));
    }

    std::atomic<bool> has_ended{false};
    Reply done;
    std::shared_ptr<Cancellation> cancellation;
    Cancellation::Token token = -1;
    const std::shared_ptr<CallContext> context =
        std::make_shared<CallContext>();
  };

  WorkQueue* const threads_;
  Clock& clock_;
  bool ignores_cancellation_ = false;
  std::map<std::string, Handler> handlers_;  // by address or address + path
  mutable Mutex mutex_;
  std::vector<std::string> pinged_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> asked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_FAKE_TRANSPORT_H_
