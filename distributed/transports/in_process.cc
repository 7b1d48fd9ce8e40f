// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The transport "in-process", which passes messages by reference within a
// process.
#include "leat/distributed/transport/in_process.h"

namespace leat::transports::in_process {

void Register(TransportRegistry& registry) {
  registry.Add("in-process", NewInProcessTransport);
}

}  // namespace leat::transports::in_process
