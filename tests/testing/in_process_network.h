// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InProcessNetwork connects the transports named "in-process". Tests with many
// tasks use it. Such tests can also run under the thread sanitizer, because
// they do not use gRPC. The thread sanitizer cannot see into gRPC.
//
// Transports of one network reach each other's listeners, at any valid
// addresses. Nothing leaves the process: messages are moved, and the tensors of
// the sender and of the receiver share their bytes.
//
//   const auto network = std::make_shared<InProcessNetwork>(2, TestClock());
//   ServerOptions options;
//   options.transport = "in-process";
//   options.transports = &network->transports();
#ifndef LEAT_TESTS_TESTING_IN_PROCESS_NETWORK_H_
#define LEAT_TESTS_TESTING_IN_PROCESS_NETWORK_H_

#include <memory>

#include "leat/core/threads/clock.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::testing {

namespace in_process {
class Network;
}  // namespace in_process

// Is thread-safe. Is owned by a shared_ptr: the transports and listeners that
// use a network share its ownership.
class InProcessNetwork : public std::enable_shared_from_this<InProcessNetwork> {
 public:
  // Runs handlers and replies on `num_threads` threads of its own. `clock` is
  // the clock of the transports and must outlive the network.
  explicit InProcessNetwork(int num_threads = 2, Clock& clock = TestClock());
  // When the destructor runs, no transport or listener is left, because they
  // share the ownership of the network. REQUIRES: not called on a thread of the
  // network.
  ~InProcessNetwork();

  // Returns a new transport of this network.
  std::unique_ptr<Transport> NewTransport(const TransportOptions& options = {});
  // Returns the registry for servers and sessions that reach each other over
  // this network. It has one transport, "in-process".
  const TransportRegistry& transports() const { return transports_; }

  // Only the transport calls this function.
  in_process::Network& implementation() const { return *implementation_; }

 private:
  const std::unique_ptr<in_process::Network> implementation_;
  TransportRegistry transports_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_IN_PROCESS_NETWORK_H_
