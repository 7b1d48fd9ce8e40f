// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Payload is a message between tasks. It holds the tensors of the message
// separately from the other fields, which are serialized. So a transport within
// a process can share the bytes of the tensors, and a transport between
// processes can send them without a copy.
#ifndef LEAT_DISTRIBUTED_WIRE_PAYLOAD_H_
#define LEAT_DISTRIBUTED_WIRE_PAYLOAD_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"

namespace leat {

class VariantDecoders;

// Describes a tensor of a message.
struct WireTensor {
  // Is the name in a NamedTensorProto; "" where the message's field is a
  // TensorProto.
  std::string name = {};
  Tensor tensor = {};
};

using WireTensors = absl::InlinedVector<WireTensor, 2>;

// Holds received bytes that are not yet decoded into tensors. The receiver must
// read the other fields first. Only these fields say which device the tensors
// are for and which account is charged for the memory. This object owns the
// bytes. Is thread-compatible.
class PendingTensors {
 public:
  virtual ~PendingTensors() = default;

  // Returns the number of bytes, as they were received.
  virtual int64_t bytes() const = 0;

  // Returns true if a transport's thread may call Decode. bytes() is not enough
  // to decide this, because a few bytes can encode a huge tensor of one
  // repeated value.
  virtual bool IsQuick() const = 0;

  // Returns the tensors in the order of the message, in memory of `allocator`.
  // Fails as Payload::Materialize does. `variants`, the decoders of variants,
  // may be null. REQUIRES: `allocator` allocates host memory, and this is
  // called at most once.
  virtual absl::StatusOr<WireTensors> Decode(Allocator& allocator,
                                             const VariantDecoders* variants,
                                             int64_t max_bytes) = 0;
};

// Limits the number of bytes that a transport's thread may decode or copy.
inline constexpr int64_t kMaxInlineBytes = int64_t{256} << 10;

// Describes a message. Is movable only, and thread-compatible.
struct Payload {
  // Holds all fields except those with tensors, serialized by protobuf.
  std::string header = {};
  // Holds the tensors of the message. In a received message they are complete
  // when `pending` is null. Their bytes may be shared with the sender.
  WireTensors tensors = {};
  // Holds the received tensors that are not yet decoded. Is null after
  // Materialize, in a message to send, and in a message that came from the same
  // process.
  std::unique_ptr<PendingTensors> pending = {};

  // Returns true if a transport's thread may call Materialize; otherwise a
  // thread of a pool has to.
  bool IsQuick() const { return pending == nullptr || pending->IsQuick(); }

  // Decodes `pending` into `tensors`. Releases the received bytes, even if it
  // fails. Does nothing if `pending` is null.
  //
  // Returns INVALID_ARGUMENT, naming the tensor if it has a name, for what
  // DecodeTensor refuses and for malformed messages. Returns RESOURCE_EXHAUSTED
  // when all tensors together take more than `max_bytes`. Also returns
  // RESOURCE_EXHAUSTED when a message of unusual form would take more than
  // `max_bytes` after parsing.
  absl::Status Materialize(Allocator& allocator,
                           const VariantDecoders* variants, int64_t max_bytes);
};

// Returns the number of bytes of a message: its fields and its tensors. Does
// not count the names and shapes of tensors that are not serialized, nor the
// bytes that the transport adds.
int64_t MessageBytes(const Payload& payload);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_PAYLOAD_H_
