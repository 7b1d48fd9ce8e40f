// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EncodePayload and SplitPayload: conversions between payloads and the bytes of
// TensorFlow's messages, for transports between processes. The bytes of tensors
// are sent from where they lie, and received without joining what came in
// pieces. Stateless, thread-safe.
//
// Received bytes come from a peer and are not trusted: whatever they contain,
// the result is a Status.
#ifndef LEAT_DISTRIBUTED_WIRE_WIRE_H_
#define LEAT_DISTRIBUTED_WIRE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// A piece of a message: bytes of its own or, if `tensor` has a value, all bytes
// of that tensor, whose elements are plain.
struct Segment {
  std::string bytes = {};
  Tensor tensor = {};
};

// Plain tensors of more bytes than this are sent by reference.
inline constexpr int64_t kMaxCopiedTensorBytes = 1024;

// The most bytes of a message: protobuf's limit.
inline constexpr int64_t kMaxMessageBytes = INT32_MAX;

// Returns the bytes of the message: the fields of the header, then the tensors.
// Plain tensors are written as TensorFlow's RecvTensor does (dtype, shape
// unless scalar, tensor_content), others as EncodeTensor does. An empty name is
// left out.
//
// Returns INVALID_ARGUMENT for a message above kMaxMessageBytes, for tensors in
// a message without a field for them, and for what EncodeTensor refuses.
// REQUIRES: tensors are in host memory; nothing is pending; nobody writes to a
// tensor that is sent by reference while its segment lives.
absl::StatusOr<std::vector<Segment>> EncodePayload(Payload payload,
                                                   TensorField field);

// A message, in the pieces in which it was received.
struct ReceivedSlices {
  std::vector<absl::string_view> bytes;
  // Returns a Buffer of exactly the bytes of that slice, which it keeps alive
  // and which its user may write to; or null if there cannot be one, and the
  // bytes are copied then. The bytes of all slices live as long as this
  // function object.
  absl::AnyInvocable<BufferRef(size_t slice) const> adopt;
};

// Splits a message into its fields: those with tensors become `pending`, which
// owns the slices, and the others become `header`, unparsed.
//
// Tensors are decoded later, as DecodeTensor does. For a tensor in the form
// that EncodePayload writes, dtype and shape are read and checked first. Its
// content is then adopted if it lies in one slice, is aligned to its element,
// and is at least half of that slice; otherwise it is copied once. A bool is
// copied and made 0 or
// 1. A tensor in any other form is parsed by protobuf, once it is known how
//    much memory that takes.
//
// Returns INVALID_ARGUMENT, naming the byte, for a message whose fields are cut
// off, have no number or are groups.
absl::StatusOr<Payload> SplitPayload(ReceivedSlices slices, TensorField field);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_WIRE_H_
