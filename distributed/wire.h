// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Payloads as the bytes of TensorFlow's messages, and back; for transports
// between processes. The bytes of tensors are sent where they lie and received
// without joining what came in pieces. Stateless, thread-safe.
//
// Received bytes are a peer's: whatever they contain, the answer is a Status.
#ifndef LEAT_DISTRIBUTED_WIRE_H_
#define LEAT_DISTRIBUTED_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"

namespace leat {

// A piece of a message: bytes of its own or, where `tensor` has a value, all
// bytes of that tensor, whose elements are plain.
struct Segment {
  std::string bytes = {};
  Tensor tensor = {};
};

// Plain tensors of more bytes than this are sent by reference.
inline constexpr int64_t kMaxCopiedTensorBytes = 1024;

// A message has at most so many bytes: protobuf's limit.
inline constexpr int64_t kMaxMessageBytes = INT32_MAX;

// The message of which the segments are the bytes: the fields of the header,
// then the tensors. Plain tensors as TensorFlow's RecvTensor writes them
// (dtype, shape unless scalar, tensor_content), others as EncodeTensor does; no
// name where it is empty.
//
// INVALID_ARGUMENT for a message above kMaxMessageBytes, tensors in a message
// without a field for them, and what EncodeTensor refuses. REQUIRES: host
// memory; nothing pending; whoever has a tensor that is sent by reference does
// not write to it while the segment lives.
absl::StatusOr<std::vector<Segment>> EncodePayload(Payload payload,
                                                   TensorField field);

// A message in the pieces in which it was received.
struct ReceivedSlices {
  std::vector<absl::string_view> bytes;
  // A Buffer of just the bytes of that slice, which it keeps alive, and which
  // its user may write to; null: not to be had, the bytes are then copied. The
  // bytes of all slices live as long as the function itself.
  absl::AnyInvocable<BufferRef(size_t slice) const> adopt;
};

// One pass over the fields of the message: those with tensors become
// `pending`, which owns the slices, the others `header`, unparsed.
//
// Tensors are decoded, as DecodeTensor does, when they are asked for: of one
// in the form that EncodePayload writes, dtype and shape are read and checked
// first, then its content is adopted if it lies in one slice, aligned to its
// element, and is at least half of that slice; else copied once. A bool is
// copied and made 0 or 1. Any other form is parsed by protobuf once it is known
// how much that takes.
//
// INVALID_ARGUMENT, naming the byte, for a message whose fields are cut off,
// have no number or are groups.
absl::StatusOr<Payload> SplitPayload(ReceivedSlices slices, TensorField field);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_H_
