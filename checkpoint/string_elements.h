// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WriteStrings and ReadStrings: the elements of a tensor of strings in a
// checkpoint. Their lengths come first, as numbers of 7 bits per byte, then the
// checksum of the lengths, then the bytes of all strings. Stateless,
// thread-safe.
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

// Appends the elements of `tensor` and returns their checksum. In it, a length
// counts as a number of 4 bytes, or of 8 bytes if 4 are too few.
absl::StatusOr<uint32_t> WriteStrings(const Tensor& tensor,
                                      ReplacementFile& file);

// Returns a tensor of strings whose elements are all that `stream` has. Returns
// DATA_LOSS if the bytes do not fit the shape, and RESOURCE_EXHAUSTED if there
// is no memory. The caller calls CheckedStream::Finish.
absl::StatusOr<Tensor> ReadStrings(const Shape& shape, CheckedStream& stream,
                                   Allocator& allocator);

// Checks what ReadStrings checks, without memory for the strings.
absl::Status CheckStrings(const Shape& shape, CheckedStream& stream);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_STRING_ELEMENTS_H_
