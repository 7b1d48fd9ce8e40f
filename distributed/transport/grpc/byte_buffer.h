// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions convert between the pieces of a message and grpc::ByteBuffer,
// gRPC's type for serialized messages. Both functions are stateless and
// thread-safe.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_BYTE_BUFFER_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_BYTE_BUFFER_H_

#include <vector>

#include "grpcpp/support/byte_buffer.h"
#include "leat/distributed/wire/wire.h"

namespace leat {

// Returns the segments as one message. The result shares the bytes of tensors
// and of long texts, and keeps them alive until gRPC has sent them.
grpc::ByteBuffer ToByteBuffer(std::vector<Segment> segments);

// Moves the slices out of `buffer`, which is empty afterwards. The result keeps
// the slices alive. Callers should not keep the result for a long time. gRPC
// reads large pieces from the socket, and while one slice of a piece exists,
// the whole piece counts as memory of the transport.
ReceivedSlices FromByteBuffer(grpc::ByteBuffer& buffer);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_BYTE_BUFFER_H_
