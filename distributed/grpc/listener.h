// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Serves a MethodTable, and gRPC's health service beside it, at an address.
#ifndef LEAT_DISTRIBUTED_GRPC_LISTENER_H_
#define LEAT_DISTRIBUTED_GRPC_LISTENER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/resource_quota.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/transport.h"

namespace leat {

// As Transport::Listen. The socket of "unix:/path" has mode 0600, takes the
// place of one whose server is gone and goes with the listener; meanwhile the
// file mask of the process is another (distributed/unix_socket.h).
// `max_message_bytes` of a request.
absl::StatusOr<std::unique_ptr<Listener>> ListenWithGrpc(
    const std::string& address, const MethodTable& methods,
    int64_t max_message_bytes, const grpc::ResourceQuota& quota);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_LISTENER_H_
