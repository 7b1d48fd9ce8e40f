// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Converts between absl::Status and gRPC's statuses. Payloads travel as
// TensorFlow sends them: a GrpcPayloadContainer in the binary error details.
// The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_STATUS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_STATUS_H_

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace leat {

// Returns a status that any peer accepts, because its headers take less than 8
// KiB. A long message is cut off. Payloads are left out, the largest first,
// until the remaining ones take at most 3 KiB.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Returns the status with its payloads. An unknown code becomes UNKNOWN.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_STATUS_H_
