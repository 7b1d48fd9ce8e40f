// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares the transport between processes, which sends TensorFlow's messages
// over gRPC. It implements Transport (distributed/transport/transport.h).
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_TRANSPORT_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_TRANSPORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Returns a transport that reaches addresses "host:port" and "unix:/path".
// gRPC stays initialized until the process ends.
absl::StatusOr<std::unique_ptr<Transport>> NewGrpcTransport(
    const TransportOptions& options);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_TRANSPORT_H_
