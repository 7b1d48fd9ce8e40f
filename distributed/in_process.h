// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// InProcessNetwork: what transports "in-process" reach: those that are made
// with one network call each other's listeners, by any addresses; nothing
// leaves the process, messages are moved and their tensors shared. For tests of
// many tasks, also under the thread sanitizer. Thread-safe.
#ifndef LEAT_DISTRIBUTED_IN_PROCESS_H_
#define LEAT_DISTRIBUTED_IN_PROCESS_H_

#include <memory>

#include "leat/distributed/transport.h"

namespace leat {

class InProcessFaults;

class InProcessNetwork {
 public:
  // Handlers and replies run on so many threads of its own. `faults`
  // (in_process_faults.h), unless null, decide what happens to calls.
  explicit InProcessNetwork(int num_threads = 2,
                            std::shared_ptr<InProcessFaults> faults = nullptr);
  // Transports and listeners share their network, so none is left. REQUIRES:
  // not on one of its threads.
  ~InProcessNetwork();

  // For the transport alone.
  class Implementation;
  Implementation& implementation() const { return *implementation_; }

 private:
  const std::unique_ptr<Implementation> implementation_;
};

absl::StatusOr<std::unique_ptr<Transport>> NewInProcessTransport(
    const TransportOptions& options);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_IN_PROCESS_H_
