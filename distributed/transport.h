// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Transport: how tasks call each other and are called. One per server or remote
// session; implementations are plug-ins, one per file of
// distributed/transports/. Thread-safe.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_H_
#define LEAT_DISTRIBUTED_TRANSPORT_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"

namespace leat {

class InProcessNetwork;

struct CallOptions {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // Ends the call when it is cancelled, at the callee too. May be null.
  std::shared_ptr<Cancellation> cancellation = {};
  // Waits, until the deadline, for a task that cannot be reached yet.
  bool wait_for_ready = false;
};

// Key of a payload, without content, of every error that a transport itself
// gives to the `done` of a call; what the callee said never has it. So those
// who call tell a peer's failure from one of the way to it.
inline constexpr char kTransportErrorPayload[] = "leat.transport";

// An address that is listened to. Its destructor is Shutdown(0).
class Listener {
 public:
  virtual ~Listener() = default;

  // With the port that was chosen where 0 was asked for.
  virtual const std::string& address() const = 0;

  // Takes no new calls, waits up to `grace` for those that are under way, then
  // cancels them; returns when no handler runs and every call has its reply.
  // Not to be called on a thread of the transport.
  virtual void Shutdown(std::chrono::nanoseconds grace) = 0;
};

class Transport {
 public:
  // Ends every call with CANCELLED and waits until each `done` has returned.
  virtual ~Transport() = default;

  // `done` exactly once, on a thread of the transport, which it must not block:
  // the response, or what the callee said with its payloads, or UNAVAILABLE
  // naming the address when it cannot be reached or was lost,
  // DEADLINE_EXCEEDED, CANCELLED, UNIMPLEMENTED for a method it does not serve.
  virtual void Call(absl::string_view address, const Method& method,
                    Payload request, CallOptions options, Reply done) = 0;

  // From now on calls of that address end with UNAVAILABLE within seconds when
  // the peer is silent. Tasks of Leat allow pings; others are asked for their
  // health while calls wait for them. Optional.
  virtual void WatchPeer(absl::string_view address, bool allows_pings) {
    static_cast<void>(address);
    static_cast<void>(allows_pings);
  }

  // Serves `methods`, borrowed until the listener is gone, at an address
  // (address.h; port 0: a free one). UNAVAILABLE naming it when that is taken.
  virtual absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) = 0;
};

struct TransportOptions {
  int64_t max_message_bytes = INT32_MAX;
  // What messages that are being received may take together.
  int64_t max_transport_bytes = int64_t{4} << 30;
  // Of the transport "in-process": whom it reaches. Null: itself alone.
  std::shared_ptr<InProcessNetwork> network = {};
};

using TransportFactory =
    absl::StatusOr<std::unique_ptr<Transport>> (*)(const TransportOptions&);

// Filled once, then const and thread-safe.
class TransportRegistry {
 public:
  // REQUIRES: a new name.
  void Add(absl::string_view name, TransportFactory factory);

  // NOT_FOUND with the names that there are.
  absl::StatusOr<std::unique_ptr<Transport>> Create(
      absl::string_view name, const TransportOptions& options = {}) const;

 private:
  std::map<std::string, TransportFactory, std::less<>> factories_;
};

namespace transports {
// Registers every transport of distributed/transports/*.cc.
void RegisterAll(TransportRegistry& registry);
}  // namespace transports

// "grpc" and "in-process".
const TransportRegistry& BuiltinTransports();

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_H_
