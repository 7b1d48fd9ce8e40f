// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Payload: a message between tasks: its fields, serialized, and its tensors
// beside them, so that a transport within a process shares their bytes and one
// between processes sends them without a copy. Thread-compatible.
#ifndef LEAT_DISTRIBUTED_PAYLOAD_H_
#define LEAT_DISTRIBUTED_PAYLOAD_H_

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

struct WireTensor {
  // Of a NamedTensorProto; "" where the field of the message is a TensorProto.
  std::string name = {};
  Tensor tensor = {};
};

using WireTensors = absl::InlinedVector<WireTensor, 2>;

// Received bytes that are not yet tensors: where in memory those belong, which
// device and whose account, is known only when the other fields are read. Owns
// the bytes.
class PendingTensors {
 public:
  virtual ~PendingTensors() = default;

  // As received.
  virtual int64_t bytes() const = 0;

  // Whether a thread of a transport may decode them. A few bytes can be a huge
  // tensor of one value.
  virtual bool IsQuick() const = 0;

  // The tensors in the order of the message. Fails as Payload::Materialize
  // does. REQUIRES: host memory; called at most once.
  virtual absl::StatusOr<WireTensors> Decode(Allocator& allocator,
                                             const VariantDecoders* variants,
                                             int64_t max_bytes) = 0;
};

// What a thread of a transport may decode, or copy.
inline constexpr int64_t kMaxInlineBytes = int64_t{256} << 10;

// Movable only.
struct Payload {
  // All fields but those with tensors, as protobuf writes them.
  std::string header = {};
  // What is sent; what was received, when `pending` is null. Their bytes may be
  // shared with the sender.
  WireTensors tensors = {};
  // Null within a process, and after Materialize.
  std::unique_ptr<PendingTensors> pending = {};

  // Whether a thread of a transport may call Materialize; else one of a pool.
  bool IsQuick() const { return pending == nullptr || pending->IsQuick(); }

  // Makes `tensors` of `pending` and gives the received bytes back, also on
  // failure; does nothing where there are none pending.
  //
  // INVALID_ARGUMENT for what DecodeTensor refuses and for malformed messages,
  // naming the tensor if it has a name; RESOURCE_EXHAUSTED when all tensors
  // together, or the message of one of unusual form once it is parsed, take
  // more than `max_bytes`.
  absl::Status Materialize(Allocator& allocator,
                           const VariantDecoders* variants, int64_t max_bytes);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PAYLOAD_H_
