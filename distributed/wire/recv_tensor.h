// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the messages with which a task receives tensors of a step from
// another task: a request for one or several keys, its response, and the chunks
// of large tensors. The caller and the callee encode and decode them with the
// functions below. The functions are stateless and thread-safe.
//
// Between tasks of Leat a large tensor is sent as a *transfer*: the response
// has the first chunk, and the receiver fetches the other chunks, several at a
// time.
#ifndef LEAT_DISTRIBUTED_WIRE_RECV_TENSOR_H_
#define LEAT_DISTRIBUTED_WIRE_RECV_TENSOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/dtype.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// These are the smallest and the largest chunk that a task sends, in bytes.
inline constexpr int64_t kMinChunkBytes = int64_t{4} << 10;
inline constexpr int64_t kMaxChunkBytes = int64_t{64} << 20;

// Describes how a task receives the large tensors of other tasks of Leat.
struct ChunkOptions {
  // A tensor of up to this many bytes comes in one piece.
  int64_t inline_bytes = int64_t{4} << 20;
  // A larger tensor comes in chunks of `chunk_bytes`. `in_flight` chunks are
  // fetched at the same time.
  int64_t chunk_bytes = int64_t{1} << 20;  // 0 means no chunks
  int in_flight = 4;
};

// Describes how a receiver wants to get a large tensor.
struct ChunkWish {
  // A tensor of more bytes than this becomes a transfer.
  int64_t inline_bytes = 0;
  int64_t chunk_bytes = 0;  // 0 means never a transfer
};

// Describes a tensor that is fetched in chunks. All chunks but the last one
// have `chunk_bytes` bytes. There are at least two chunks.
struct Transfer {
  uint64_t id = 0;
  int64_t total_bytes = 0;
  int64_t chunk_bytes = 0;
  DType dtype = DType::kInvalid;
  Shape shape = {};

  int64_t num_chunks() const { return (total_bytes - 1) / chunk_bytes + 1; }
  // OffsetOf returns the offset of a chunk in bytes, and LengthOf returns its
  // length in bytes. REQUIRES: 0 <= chunk < num_chunks().
  int64_t OffsetOf(int64_t chunk) const { return chunk * chunk_bytes; }
  int64_t LengthOf(int64_t chunk) const {
    return std::min(chunk_bytes, total_bytes - OffsetOf(chunk));
  }
};

// Returns true if a transfer can carry elements of `dtype`. This requires that
// every pattern of bytes is a valid element.
bool IsTransferable(DType dtype);

// Lists the forms of a receive: one tensor by TensorFlow's method RecvTensor, a
// list of tensors by Leat's method RecvTensors, or the bytes of one tensor of a
// collective by TensorFlow's method RecvBuf (recv_buf.h).
enum class RecvForm { kOne, kList, kBuffer };

// MethodOf returns the method of a form. NameOf returns the method's name
// without the service.
inline const Method& MethodOf(RecvForm form) {
  if (form == RecvForm::kBuffer) return methods::kRecvBuf;
  return form == RecvForm::kOne ? methods::kRecvTensor : methods::kRecvTensors;
}
inline const char* NameOf(RecvForm form) {
  if (form == RecvForm::kBuffer) return "RecvBuf";
  return form == RecvForm::kOne ? "RecvTensor" : "RecvTensors";
}

// kMaxRecvKeys limits the number of keys in a request. kMaxRecvKeyBytes limits
// the size of one key in bytes. The callee keeps a key until its step ends, so
// a key must not take much memory.
inline constexpr size_t kMaxRecvKeys = 64;
inline constexpr size_t kMaxRecvKeyBytes = 4096;

// Holds the keys of a receive: a single key, or the keys of a bundle. The
// receives of several steps share the keys of a bundle. The class is a value
// type.
class RecvKeys {
 public:
  using Shared = std::shared_ptr<const std::vector<ParsedKey>>;

  // Makes a malformed key.
  RecvKeys() = default;
  explicit RecvKeys(ParsedKey key) : keys_(std::move(key)) {}
  // REQUIRES: `keys` is not null.
  explicit RecvKeys(Shared keys) : keys_(std::move(keys)) {}

  // Returns the keys. The result is valid until this is moved or destroyed.
  absl::Span<const ParsedKey> all() const {
    const Shared* const shared = std::get_if<Shared>(&keys_);
    return shared != nullptr ? absl::MakeConstSpan(**shared)
                             : absl::MakeConstSpan(&std::get<0>(keys_), 1);
  }

 private:
  std::variant<ParsedKey, Shared> keys_;
};

// Describes the request for tensors of a step.
struct RecvRequest {
  RecvForm form = RecvForm::kOne;
  int64_t step_id = 0;
  // If `form` is not kList, there is one key. The keys may be malformed.
  RecvKeys keys = {};
  // Lets the callee notice a request that is delivered twice.
  int64_t request_id = 0;
  // The numbers in `wish` are not negative. If `wish.chunk_bytes` is 0, the
  // tensor comes in one piece, as TensorFlow sends it. A list has no wish,
  // because it is never sent as a transfer.
  ChunkWish wish = {};
};

Payload EncodeRecvRequest(const RecvRequest& request);
// Returns INVALID_ARGUMENT if `header` is not a request of that form or is
// larger than kMaxInlineHeaderBytes (messages.h), if a list has no key or more
// than kMaxRecvKeys, or if a key has more than kMaxRecvKeyBytes.
absl::StatusOr<RecvRequest> DecodeRecvRequest(RecvForm form,
                                              absl::string_view header);

// Describes a tensor that was received or is to be sent. If `is_dead` is true,
// `tensor` has no meaning.
struct SentTensor {
  Tensor tensor = {};
  bool is_dead = false;
};
using SentTensors = absl::InlinedVector<SentTensor, 1>;

// Encodes the tensors in the order of the keys. A dead tensor is sent as an
// empty float[0], regardless of the type of the edge, as TensorFlow does.
// REQUIRES: the tensors are in host memory. If `form` is kOne, there is one
// tensor. `form` is not kBuffer: EncodeRecvBufResponse (recv_buf.h) encodes a
// buffer.
Payload EncodeRecvResponse(RecvForm form, SentTensors tensors);
// Encodes the beginning of a transfer with its first chunk.
Payload EncodeTransferResponse(const Transfer& transfer, Tensor chunk);

// Holds the response without its tensors.
struct RecvResponse {
  // Says for each tensor whether it is dead. The value of a dead tensor has no
  // meaning.
  absl::InlinedVector<bool, 8> is_dead = {};
  // Is the time at which the response was sent, by the sender's clock, in
  // microseconds since 1970, or 0 if the time is not known.
  int64_t send_start_us = 0;
  // If set, the only tensor is the first chunk of this transfer.
  std::optional<Transfer> transfer = {};
};
// Returns INVALID_ARGUMENT if `header` is not a response of that form or is
// larger than kMaxInlineHeaderBytes (messages.h). Also returns INVALID_ARGUMENT
// for a transfer that is not possible: the size or the number of its chunks is
// not valid, its type is not transferable, or its total bytes do not fit its
// type and shape. The response of kBuffer is not decoded, because it may be
// large: DecodeRecvBufResponse (recv_buf.h) does that.
absl::StatusOr<RecvResponse> DecodeRecvResponse(RecvForm form,
                                                absl::string_view header);

// Describes the request for one chunk of a transfer.
struct FetchChunkRequest {
  int64_t step_id = 0;
  uint64_t id = 0;  // of the transfer
  int64_t offset = 0;
  int64_t length = 0;
};

Payload EncodeFetchChunkRequest(const FetchChunkRequest& request);
// Returns INVALID_ARGUMENT if `header` is not a FetchChunkRequest or is larger
// than kMaxInlineHeaderBytes (messages.h). The numbers in the result are not
// checked.
absl::StatusOr<FetchChunkRequest> DecodeFetchChunkRequest(
    absl::string_view header);
// Encodes a chunk, which is a tensor uint8[length].
Payload EncodeFetchChunkResponse(Tensor chunk);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_RECV_TENSOR_H_
