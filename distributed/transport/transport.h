// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Transport calls methods of other tasks, and serves the calls of other tasks.
// Each server and each remote session has one Transport. Implementations are
// plug-ins, one per file of distributed/transports/.
//
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport,
//                         BuiltinTransports().Create("grpc"));
#ifndef LEAT_DISTRIBUTED_TRANSPORT_TRANSPORT_H_
#define LEAT_DISTRIBUTED_TRANSPORT_TRANSPORT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/connection_limits.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/runtime/host_memory.h"

namespace leat {

// Holds the options of one call. Is a value.
struct CallOptions {
  // Is a time of Transport::clock.
  std::optional<Clock::time_point> deadline = {};
  // If this is cancelled, the call ends, and the callee's CallContext is
  // cancelled. May be null.
  std::shared_ptr<Cancellation> cancellation = {};
  // If true, and the task cannot be reached yet, the call waits for the task
  // until the call's deadline.
  bool wait_for_ready = false;
};

// Is the key of the payload that marks errors of the transport. The payload is
// empty. Every error that the transport itself passes to a call's `done` has
// this payload. Errors from the callee never have it. So callers can tell an
// error of the peer from a failure to reach the peer.
inline constexpr char kTransportErrorPayload[] = "leat.transport";

// Holds the counts of a listener's connections. Is a value.
struct ConnectionCounts {
  size_t open = 0;
  size_t max = 0;      // the maximum of `open`
  size_t refused = 0;  // since the listener began
  // Says why no connection can be accepted now. Is empty if connections can be
  // accepted.
  std::string problem = {};
};

// A Listener is a server that listens on an address. Its destructor calls
// Shutdown(0).
class Listener {
 public:
  virtual ~Listener() = default;

  // Returns the address. If port 0 was asked for, the address has the port that
  // was chosen.
  virtual const std::string& address() const = 0;

  // Returns how many connections there are. A listener of a transport without
  // connections returns zeros.
  virtual ConnectionCounts connections() { return {}; }

  // Takes no new calls, waits up to `grace` for the calls under way, then
  // cancels them. Returns when no handler runs and every call has its reply.
  // Must not be called on a thread of the transport.
  virtual void Shutdown(std::chrono::nanoseconds grace) = 0;
};

// Implementations are thread-safe.
class Transport {
 public:
  // Ends every call with CANCELLED and waits until each `done` has returned.
  virtual ~Transport() = default;

  // Returns the clock that measures the deadlines of calls. Callers and
  // handlers use this clock for their other times, too. The transport does not
  // own the clock, which must outlive everything that uses it. For example, a
  // server still has timers after its transport is destroyed.
  virtual Clock& clock() const { return RealClock(); }

  // Calls `method` of the task at `address`. Calls `done` exactly once, on a
  // thread of the transport, which `done` must not block. `done` gets the
  // response, or the callee's error with its payloads, or an error of the
  // transport. A callee that does not serve the method replies UNIMPLEMENTED.
  // Errors of the transport are, for example,
  // - UNAVAILABLE, naming the address: the task cannot be reached or was lost,
  // - DEADLINE_EXCEEDED: there was no answer by `options.deadline`,
  // - CANCELLED: `options.cancellation` or the transport's destructor has
  //   cancelled the call.
  virtual void Call(absl::string_view address, const Method& method,
                    Payload request, CallOptions options, Reply done) = 0;

  // Calls `method` as Call does, waits for the response or the error, and
  // returns it. Meanwhile this thread may do the work of the transport: the
  // `done` of other calls may run on it, so the caller must hold no lock that
  // they take. The transport must live until this returns. Must not be called
  // on a thread of the transport.
  virtual absl::StatusOr<Payload> CallAndWait(absl::string_view address,
                                              const Method& method,
                                              Payload request,
                                              CallOptions options);

  // Makes sure that calls to `address` end with UNAVAILABLE within seconds when
  // the peer is silent. A peer that allows pings is pinged. Tasks of Leat allow
  // pings. Other peers are asked for their health while calls wait for them. An
  // implementation may do nothing.
  virtual void WatchPeer(absl::string_view address, bool allows_pings) {
    static_cast<void>(address);
    static_cast<void>(allows_pings);
  }

  // Serves `methods` at `address` (address.h). Port 0 means that the system
  // chooses a free port. `methods` is borrowed until the listener is destroyed.
  // Returns UNAVAILABLE, naming the address, when the address is already in
  // use.
  virtual absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) = 0;
};

// Holds the options of a transport. Is a value.
struct TransportOptions {
  // Limits the size of one message, in bytes.
  int64_t max_message_bytes = INT32_MAX;
  // Limits the total size, in bytes, of the messages that are being received.
  int64_t max_transport_bytes = DefaultTransportBytes();
  ConnectionTimes times = {};
  ConnectionLimits connections = {};
  // Is called on any thread with messages for people. May be null.
  std::function<void(absl::string_view message)> log = {};
};

// Makes a transport, which owns everything that it needs.
// TransportRegistry::Create has checked the options.
using TransportFactory =
    std::function<absl::StatusOr<std::unique_ptr<Transport>>(
        const TransportOptions&)>;

// Maps names to transports. It is filled once. After that it is const and
// thread-safe.
class TransportRegistry {
 public:
  // Adds a transport. REQUIRES: its name is new, and `factory` is not null.
  void Add(absl::string_view name, TransportFactory factory);

  // Makes a transport. Returns NOT_FOUND if the name is unknown, and lists the
  // names that exist. Returns INVALID_ARGUMENT if a limit is not positive or a
  // time is below 1 ms. Otherwise fails as the factory does.
  absl::StatusOr<std::unique_ptr<Transport>> Create(
      absl::string_view name, const TransportOptions& options = {}) const;

 private:
  std::map<std::string, TransportFactory, std::less<>> factories_;
};

namespace transports {
// Registers every transport of distributed/transports/*.cc.
void RegisterAll(TransportRegistry& registry);
}  // namespace transports

// Returns the transports of distributed/transports/. The only one is "grpc".
// They live as long as the process.
const TransportRegistry& BuiltinTransports();

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_TRANSPORT_H_
