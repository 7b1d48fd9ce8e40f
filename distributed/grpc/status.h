// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Statuses as gRPC's, with their payloads as TensorFlow sends them: a
// GrpcPayloadContainer in the binary error details. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_STATUS_H_
#define LEAT_DISTRIBUTED_GRPC_STATUS_H_

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace leat {

// Short enough for any peer, which takes 8 KiB of headers: of a long message
// there is the beginning, and payloads are left out, the largest first, until
// the others take 3 KiB.
grpc::Status ToGrpcStatus(const absl::Status& status);

// UNKNOWN for a code that there is not.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_STATUS_H_
