// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InProcessNetwork: what the transports named "in-process" are connected by,
// for tests of many tasks, also under the thread sanitizer.
//
// Transports made with one network reach each other's listeners, at any valid
// addresses. Nothing leaves the process: messages are moved, and their tensors
// share their bytes.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_IN_PROCESS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_IN_PROCESS_H_

#include <memory>

#include "leat/core/threads/clock.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

namespace in_process {
class Network;
}  // namespace in_process

// Thread-safe. Owned by a shared_ptr: the transports and listeners that use a
// network share its ownership.
class InProcessNetwork : public std::enable_shared_from_this<InProcessNetwork> {
 public:
  // Runs handlers and replies on `num_threads` threads of its own. `clock` is
  // that of the transports and must outlive the network.
  explicit InProcessNetwork(int num_threads = 2, Clock& clock = RealClock());
  // No transport or listener is left, because they share the ownership.
  // REQUIRES: not called on a thread of the network.
  ~InProcessNetwork();

  // Returns a new transport of this network.
  std::unique_ptr<Transport> NewTransport(const TransportOptions& options = {});
  // The registry for servers and sessions that are to reach each other over
  // this network. It has one transport, "in-process".
  const TransportRegistry& transports() const { return transports_; }

  // For the transport only.
  in_process::Network& implementation() const { return *implementation_; }

 private:
  const std::unique_ptr<in_process::Network> implementation_;
  TransportRegistry transports_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_IN_PROCESS_H_
