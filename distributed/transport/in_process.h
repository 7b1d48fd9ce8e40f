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

#include "leat/distributed/transport/transport.h"

namespace leat {

class InProcessFaults;
namespace in_process {
class Network;
}  // namespace in_process

// Thread-safe. Owned by a shared_ptr: the transports and listeners that use a
// network share its ownership.
class InProcessNetwork {
 public:
  // Runs handlers and replies on `num_threads` threads of its own. `faults`
  // (in_process_faults.h) decides what goes wrong with calls; if it is null,
  // nothing does.
  explicit InProcessNetwork(int num_threads = 2,
                            std::shared_ptr<InProcessFaults> faults = nullptr);
  // No transport or listener is left, because they share the ownership.
  // REQUIRES: not called on a thread of the network.
  ~InProcessNetwork();

  // For the transport only.
  in_process::Network& implementation() const { return *implementation_; }

 private:
  const std::unique_ptr<in_process::Network> implementation_;
};

// Returns a transport of options.network, or of a new network of its own if
// that is null. Never fails.
absl::StatusOr<std::unique_ptr<Transport>> NewInProcessTransport(
    const TransportOptions& options);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_IN_PROCESS_H_
