// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WriteStrings and ReadStrings write and read the elements of a tensor of
// strings in a checkpoint. The lengths of the strings come first, as varints.
// Then come the checksum of the lengths, and the bytes of all strings.
// Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_STRING_ELEMENTS_H_
#define LEAT_CHECKPOINT_STRING_ELEMENTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/checkpoint/checked_stream.h"
#include "leat/core/buffer.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/tensor.h"

namespace leat {

// Appends the elements of `tensor` and returns their checksum. For the
// checksum, a length is a number of 4 bytes, or of 8 bytes if 4 are too few.
absl::StatusOr<uint32_t> WriteStrings(const Tensor& tensor,
                                      ReplacementFile& file);

// Reads a tensor of strings from the whole stream. Returns DATA_LOSS if the
// bytes do not fit the shape, and RESOURCE_EXHAUSTED if there is no memory. The
// caller must call CheckedStream::Finish afterwards.
absl::StatusOr<Tensor> ReadStrings(const Shape& shape, CheckedStream& stream,
                                   Allocator& allocator);

// Checks what ReadStrings checks, but allocates no memory for the strings.
absl::Status CheckStrings(const Shape& shape, CheckedStream& stream);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_STRING_ELEMENTS_H_
