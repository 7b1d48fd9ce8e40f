// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EncodePayload and SplitPayload convert between payloads and the bytes of
// TensorFlow's messages, for transports between processes. Sending does not
// copy the bytes of large tensors. Receiving does not join the pieces in which
// a message arrived. The functions are stateless and thread-safe.
//
// Received bytes come from a peer and are not trusted. The functions return a
// value or an error for any bytes.
#ifndef LEAT_DISTRIBUTED_WIRE_WIRE_H_
#define LEAT_DISTRIBUTED_WIRE_WIRE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// Describes a piece of a message. If `tensor` has a value, the piece consists
// of all bytes of that tensor, which is plain: IsPlainBytes is true for its
// dtype. Otherwise the piece consists of `bytes`.
struct Segment {
  std::string bytes = {};
  Tensor tensor = {};
};

// Plain tensors of more bytes than this are sent by reference.
inline constexpr int64_t kMaxCopiedTensorBytes = 1024;

// Limits the size of a message in bytes, which is protobuf's limit.
inline constexpr int64_t kMaxMessageBytes = INT32_MAX;

// Returns the bytes of the message: the fields of the header, then the tensors.
// Plain tensors are written as TensorFlow's RecvTensor does: dtype, then shape
// (not for a scalar), then tensor_content. Other tensors are written as
// EncodeTensor does. An empty name is left out.
//
// Returns INVALID_ARGUMENT if the message is larger than kMaxMessageBytes, if
// it has tensors but no field for them, or if EncodeTensor refuses a tensor.
// Returns INTERNAL, with the name of the memory, for a tensor on a GPU.
// REQUIRES: `payload.pending` is null, and nobody writes to a tensor that is
// sent by reference while its segment exists.
absl::StatusOr<std::vector<Segment>> EncodePayload(Payload payload,
                                                   TensorField field);

// Describes a message, in the pieces in which it was received.
struct ReceivedSlices {
  std::vector<absl::string_view> bytes = {};
  // Keeps the bytes alive.
  std::shared_ptr<const void> owner = {};
};

// Splits a message into its fields. The fields with tensors become `pending`,
// which owns the slices. The other fields become `header`, unparsed. If
// `field.number` is 0, the whole message becomes `header`, without a check.
//
// Tensors are decoded later, as DecodeTensor does. For a tensor in the form
// that EncodePayload writes, dtype and shape are read and checked first. Its
// content is then copied once, and every bool becomes false or true. A tensor
// in any other form is parsed by protobuf, after a check of how much memory
// that takes.
//
// Returns INVALID_ARGUMENT for a message with more than 2^20 fields. Also
// returns INVALID_ARGUMENT, naming the byte, for a field that is cut off, has
// no number or is a group.
absl::StatusOr<Payload> SplitPayload(ReceivedSlices slices, TensorField field);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_WIRE_H_
