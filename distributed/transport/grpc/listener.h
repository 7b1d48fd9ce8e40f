// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ListenWithGrpc serves a MethodTable at an address over gRPC.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_LISTENER_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_LISTENER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/resource_quota.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

// Does what Transport::Listen does, and fails as Transport::Listen does. Also
// fails with RESOURCE_EXHAUSTED if the process has too few free descriptors for
// a server.
//
// `methods`, `quota` and `clock` are borrowed until the listener is destroyed.
// `options.max_message_bytes` is the largest request that is accepted. Calls
// arrive on the threads of `polling`. If these threads already serve another
// server, the listener starts other threads.
absl::StatusOr<std::unique_ptr<Listener>> ListenWithGrpc(
    const std::string& address, const MethodTable& methods,
    const TransportOptions& options, const grpc::ResourceQuota& quota,
    Clock& clock, std::shared_ptr<PollingThreads> polling);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_LISTENER_H_
