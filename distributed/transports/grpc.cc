// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the transport "grpc", which connects processes over TCP and Unix
// sockets.
#include "leat/distributed/transport/grpc/transport.h"

namespace leat::transports::grpc {

void Register(TransportRegistry& registry) {
  registry.Add("grpc", NewGrpcTransport);
}

}  // namespace leat::transports::grpc
