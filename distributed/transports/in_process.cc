// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The transport "in-process", which passes messages by reference within a
// process.
#include "leat/distributed/transport/in_process.h"

namespace leat::transports::in_process {

void Register(TransportRegistry& registry) {
  // Each transport has a network of its own, so it reaches only itself.
  registry.Add("in-process", [](const TransportOptions& options) {
    return std::make_shared<InProcessNetwork>()->NewTransport(options);
  });
}

}  // namespace leat::transports::in_process
