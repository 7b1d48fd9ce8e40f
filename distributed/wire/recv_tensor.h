// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The messages of methods::kRecvTensor, kRecvTensors and kFetchChunk: functions
// with which the caller and the callee encode and decode them. Stateless,
// thread-safe.
//
// Between tasks of Leat a large tensor is a *transfer*: the response has its
// first chunk, and the receiver fetches the others, several at a time.
#ifndef LEAT_DISTRIBUTED_WIRE_RECV_TENSOR_H_
#define LEAT_DISTRIBUTED_WIRE_RECV_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// The smallest and the largest chunk that a task sends, in bytes.
inline constexpr int64_t kMinChunkBytes = int64_t{4} << 10;
inline constexpr int64_t kMaxChunkBytes = int64_t{64} << 20;

// How a task receives the large tensors of other tasks of Leat.
struct ChunkOptions {
  // A tensor of up to this many bytes comes in one piece.
  int64_t inline_bytes = int64_t{4} << 20;
  // A larger tensor comes in chunks of `chunk_bytes`, of which `in_flight` are
  // fetched at a time.
  int64_t chunk_bytes = int64_t{1} << 20;  // 0: never
  int in_flight = 4;
};

// How a receiver wants to get a large tensor.
struct ChunkWish {
  // A tensor of more bytes than this becomes a transfer.
  int64_t inline_bytes = 0;
  int64_t chunk_bytes = 0;  // 0: never as a transfer
};

// A tensor that is fetched in chunks. All chunks but the last one have
// `chunk_bytes`, and there are at least two.
struct Transfer {
  uint64_t id = 0;
  int64_t total_bytes = 0;
  int64_t chunk_bytes = 0;
  DType dtype = DType::kInvalid;
  Shape shape = {};

  int64_t num_chunks() const { return (total_bytes - 1) / chunk_bytes + 1; }
  // The offset and the length of a chunk, in bytes. REQUIRES: 0 <= chunk <
  // num_chunks().
  int64_t OffsetOf(int64_t chunk) const { return chunk * chunk_bytes; }
  int64_t LengthOf(int64_t chunk) const {
    return std::min(chunk_bytes, total_bytes - OffsetOf(chunk));
  }
};

// True if a transfer can carry elements of that type, that is if any bytes are
// valid elements.
bool IsTransferable(DType dtype);

// The request for one tensor.
struct RecvTensorRequest {
  int64_t step_id = 0;
  std::string key = {};  // a RendezvousKey, unchecked
  int64_t request_id = 0;
  ChunkWish wish = {};  // not negative
};

// `request_id` lets the callee notice a request that is delivered twice. `wish`
// without chunks asks for one piece, as TensorFlow does.
Payload EncodeRecvTensorRequest(int64_t step_id, absl::string_view key,
                                int64_t request_id, const ChunkWish& wish = {});
// Returns INVALID_ARGUMENT if `header` is not such a message.
absl::StatusOr<RecvTensorRequest> DecodeRecvTensorRequest(
    absl::string_view header);

// Encodes one tensor. A dead one is sent as TensorFlow does: as an empty
// float[0], whatever the type of the edge. REQUIRES: `tensor` is in host
// memory.
Payload EncodeRecvTensorResponse(Tensor tensor, bool is_dead);
// Encodes the beginning of a transfer with its first chunk.
Payload EncodeTransferResponse(const Transfer& transfer, Tensor chunk);

// The response without its tensor.
struct RecvTensorResponse {
  bool is_dead = false;  // if true, its tensor has no meaning
  // When it was sent, by the sender's clock, in microseconds since 1970; 0 if
  // not known.
  int64_t send_start_us = 0;
  // If set, the tensor is the first chunk of this transfer.
  std::optional<Transfer> transfer = {};
};
// Returns INVALID_ARGUMENT if `header` is not such a message, or if its
// transfer makes no sense: its total bytes do not fit its type and shape, or
// the size of its chunks is not valid.
absl::StatusOr<RecvTensorResponse> DecodeRecvTensorResponse(
    absl::string_view header);

// A tensor that was received or is to be sent. A dead one has no tensor.
struct SentTensor {
  Tensor tensor = {};
  bool is_dead = false;
};

// The request for the tensors of a bundle (partitioner/bundles.h).
struct RecvTensorsRequest {
  int64_t step_id = 0;
  std::vector<std::string> keys = {};  // RendezvousKeys, unchecked
  int64_t request_id = 0;
};

Payload EncodeRecvTensorsRequest(int64_t step_id,
                                 absl::Span<const std::string> keys,
                                 int64_t request_id);
// Returns INVALID_ARGUMENT if `header` is not such a message, or has no key, or
// more keys than Bundles::kMaxTensors.
absl::StatusOr<RecvTensorsRequest> DecodeRecvTensorsRequest(
    absl::string_view header);

// Encodes the tensors in the order of the keys. REQUIRES: they are in host
// memory.
Payload EncodeRecvTensorsResponse(std::vector<SentTensor> tensors);

// The response without its tensors.
struct RecvTensorsResponse {
  std::vector<bool> is_dead = {};
  int64_t send_start_us = 0;  // as in RecvTensorResponse
};
// INVALID_ARGUMENT for a header that is not such a message.
absl::StatusOr<RecvTensorsResponse> DecodeRecvTensorsResponse(
    absl::string_view header);

// The request for one chunk of a transfer.
struct FetchChunkRequest {
  int64_t step_id = 0;
  uint64_t id = 0;  // of the transfer
  int64_t offset = 0;
  int64_t length = 0;
};

Payload EncodeFetchChunkRequest(const FetchChunkRequest& request);
// Returns INVALID_ARGUMENT if `header` is not such a message. The numbers in
// the result are not checked.
absl::StatusOr<FetchChunkRequest> DecodeFetchChunkRequest(
    absl::string_view header);
// Encodes a chunk, which is uint8[length].
Payload EncodeFetchChunkResponse(Tensor chunk);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_RECV_TENSOR_H_
