// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the messages of RecvBuf, TensorFlow's method by which the members
// of a collective receive each other's buffers. Tasks of Leat receive buffers
// from each other as they receive tensors (recv_tensor.h). The functions are
// stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_WIRE_RECV_BUF_H_
#define LEAT_DISTRIBUTED_WIRE_RECV_BUF_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/tensor.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// Describes the request for a buffer of a step.
struct RecvBufRequest {
  int64_t step_id = 0;
  ParsedKey key = {};  // made by BufferKey; may be malformed
  int64_t request_id = 0;
};

// REQUIRES: the key is well-formed, and IsBufferKey is true for it.
Payload EncodeRecvBufRequest(const RecvBufRequest& request);
// Returns INVALID_ARGUMENT if `header` is not a request or is larger than
// kMaxInlineHeaderBytes (messages.h).
absl::StatusOr<RecvBufRequest> DecodeRecvBufRequest(absl::string_view header);

// Encodes the bytes of `tensor`, which has plain bytes in memory of the host.
// Returns RESOURCE_EXHAUSTED if a message cannot hold so many bytes.
absl::StatusOr<Payload> EncodeRecvBufResponse(const Tensor& tensor);
// Returns the bytes as uint8[n] in memory of `allocator`. Returns
// INVALID_ARGUMENT if `header` is not a response with bytes, and
// RESOURCE_EXHAUSTED if it would take more than `max_bytes` or there is no
// memory.
absl::StatusOr<Tensor> DecodeRecvBufResponse(absl::string_view header,
                                             Allocator& allocator,
                                             int64_t max_bytes);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_RECV_BUF_H_
