// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// The messages of methods::kRecvTensor, kRecvTensors and kFetchChunk, as who
// asks and who answers write and read them. Stateless, thread-safe.
//
// Between tasks of Leat a large tensor is a *transfer*: the response has its
// first chunk, and the receiver fetches the others, several at a time.
#ifndef LEAT_DISTRIBUTED_RECV_TENSOR_H_
#define LEAT_DISTRIBUTED_RECV_TENSOR_H_

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
#include "leat/distributed/payload.h"

namespace leat {

// Bytes of a chunk: what a task gives at least, and at most.
inline constexpr int64_t kMinChunkBytes = int64_t{4} << 10;
inline constexpr int64_t kMaxChunkBytes = int64_t{64} << 20;

// How a task receives the large tensors of other tasks of Leat.
struct ChunkOptions {
  // In one piece up to so many bytes,
  int64_t inline_bytes = int64_t{4} << 20;
  // else in chunks of so many, of which so many are on their way at a time.
  int64_t chunk_bytes = int64_t{1} << 20;  // 0: never
  int in_flight = 4;
};

// How a receiver likes a large tensor.
struct ChunkWish {
  // As a transfer when it has more bytes than these.
  int64_t inline_bytes = 0;
  int64_t chunk_bytes = 0;  // 0: never as a transfer
};

// A tensor that is fetched in chunks. All but the last one have `chunk_bytes`,
// and there are two at least.
struct Transfer {
  uint64_t id = 0;
  int64_t total_bytes = 0;
  int64_t chunk_bytes = 0;
  DType dtype = DType::kInvalid;
  Shape shape = {};

  int64_t num_chunks() const { return (total_bytes - 1) / chunk_bytes + 1; }
  // REQUIRES: 0 <= chunk < num_chunks().
  int64_t OffsetOf(int64_t chunk) const { return chunk * chunk_bytes; }
  int64_t LengthOf(int64_t chunk) const {
    return std::min(chunk_bytes, total_bytes - OffsetOf(chunk));
  }
};

// Whether transfers carry elements of that type: their bytes may be anything.
bool IsTransferable(DType dtype);

struct RecvTensorRequest {
  int64_t step_id = 0;
  std::string key = {};  // RendezvousKey, not yet checked
  int64_t request_id = 0;
  ChunkWish wish = {};  // not negative
};

Payload EncodeRecvTensorRequest(int64_t step_id, absl::string_view key,
                                int64_t request_id, const ChunkWish& wish = {});
// INVALID_ARGUMENT for a header that is not such a message.
absl::StatusOr<RecvTensorRequest> DecodeRecvTensorRequest(
    absl::string_view header);

// A dead tensor travels as TensorFlow's do: an empty float[0], whatever the
// type of the edge. REQUIRES: host memory.
Payload EncodeRecvTensorResponse(Tensor tensor, bool is_dead);
// `chunk` is the first one.
Payload EncodeTransferResponse(const Transfer& transfer, Tensor chunk);

// The response without its tensor.
struct RecvTensorResponse {
  bool is_dead = false;  // its tensor then means nothing
  // When it was sent, by the sender's clock, micros since 1970; 0: not said.
  int64_t send_start_us = 0;
  // Of which the tensor is the first chunk.
  std::optional<Transfer> transfer = {};
};
// INVALID_ARGUMENT for a header that is not such a message, and for a transfer
// that makes no sense: its bytes are not those of its type and shape, or its
// chunks are not as they may be.
absl::StatusOr<RecvTensorResponse> DecodeRecvTensorResponse(
    absl::string_view header);

// A tensor that has come, or is to be sent; a dead one has none.
struct SentTensor {
  Tensor tensor = {};
  bool is_dead = false;
};

// Of a bundle (partitioner/bundles.h).
struct RecvTensorsRequest {
  int64_t step_id = 0;
  std::vector<std::string> keys = {};  // RendezvousKeys, not yet checked
  int64_t request_id = 0;
};

Payload EncodeRecvTensorsRequest(int64_t step_id,
                                 absl::Span<const std::string> keys,
                                 int64_t request_id);
// INVALID_ARGUMENT for a header that is not such a message, or has no key, or
// more than Bundles::kMaxTensors.
absl::StatusOr<RecvTensorsRequest> DecodeRecvTensorsRequest(
    absl::string_view header);

// In the order of the keys. REQUIRES: host memory.
Payload EncodeRecvTensorsResponse(std::vector<SentTensor> tensors);

// The response without its tensors.
struct RecvTensorsResponse {
  std::vector<bool> is_dead = {};
  int64_t send_start_us = 0;  // as in RecvTensorResponse
};
// INVALID_ARGUMENT for a header that is not such a message.
absl::StatusOr<RecvTensorsResponse> DecodeRecvTensorsResponse(
    absl::string_view header);

struct FetchChunkRequest {
  int64_t step_id = 0;
  uint64_t id = 0;  // of the transfer
  int64_t offset = 0;
  int64_t length = 0;
};

Payload EncodeFetchChunkRequest(const FetchChunkRequest& request);
// INVALID_ARGUMENT for a header that is not such a message; its numbers may be
// any.
absl::StatusOr<FetchChunkRequest> DecodeFetchChunkRequest(
    absl::string_view header);
Payload EncodeFetchChunkResponse(Tensor chunk);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RECV_TENSOR_H_
