// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Messages in gRPC's memory. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_BYTE_BUFFER_H_
#define LEAT_DISTRIBUTED_GRPC_BYTE_BUFFER_H_

#include <vector>

#include "grpcpp/support/byte_buffer.h"
#include "leat/distributed/wire.h"

namespace leat {

// Shares the bytes of tensors and of long texts, until gRPC has sent them.
grpc::ByteBuffer ToByteBuffer(std::vector<Segment> segments);

// Shares the bytes of the message. Its slices are never adopted: they are
// pieces, of 64 KiB at most and not aligned to a cache line, of what was read
// from a socket, and as long as one lives the whole piece counts against the
// memory that the transport may take. A variable must not live there.
ReceivedSlices FromByteBuffer(const grpc::ByteBuffer& buffer);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_BYTE_BUFFER_H_
