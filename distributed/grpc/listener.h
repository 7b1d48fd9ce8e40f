// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Serves a MethodTable at an address.
#ifndef LEAT_DISTRIBUTED_GRPC_LISTENER_H_
#define LEAT_DISTRIBUTED_GRPC_LISTENER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/resource_quota.h"
#include "leat/distributed/grpc/polling_threads.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/transport.h"

namespace leat {

// As Transport::Listen. The socket of "unix:/path" has mode 0600, takes the
// place of one whose server is gone and goes with the listener; meanwhile the
// file mask of the process is another (distributed/unix_socket.h).
// `max_message_bytes` of a request. The calls come on `polling`, or on threads
// of their own if another server takes its calls from there.
absl::StatusOr<std::unique_ptr<Listener>> ListenWithGrpc(
    const std::string& address, const MethodTable& methods,
    int64_t max_message_bytes, const grpc::ResourceQuota& quota,
    std::shared_ptr<PollingThreads> polling);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_LISTENER_H_
