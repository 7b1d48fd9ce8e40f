// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions convert tensors and shapes to and from TensorFlow's
// TensorProto and TensorShapeProto.
//
// Decoders may be given messages from graphs, feeds, files and peers. Whatever
// a message contains, a decoder answers with a value or a Status. The functions
// are stateless and thread-safe.
#ifndef LEAT_CORE_CODEC_TENSOR_CODEC_H_
#define LEAT_CORE_CODEC_TENSOR_CODEC_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"

namespace leat::pb {
class TensorProto;
class TensorShapeProto;
}  // namespace leat::pb

namespace leat {

class VariantDecoders;

// Is the value of `max_bytes` for callers of DecodeTensor that have no limit of
// their own. A protobuf message cannot have more bytes, but one value in a
// message may stand for any number of elements.
inline constexpr int64_t kMaxDecodedTensorBytes = int64_t{2} << 30;

// Is the size in bytes of the largest tensor that fits into a message. A
// message has at most 2^31 - 1 bytes, and its other fields need some of them.
inline constexpr int64_t kMaxEncodedTensorBytes = INT32_MAX - 4096;

// Returns the tensor that `proto` describes, in memory of `allocator`, which
// must be host memory. The elements come from tensor_content if it has any
// bytes, and otherwise from the field for the dtype. If that field has fewer
// values than there are elements, the last value is repeated. If the field has
// no values, all elements are zero or empty. Surplus values are ignored.
// TensorFlow does the same.
//
// `variants` has the decoders of variants. If `variants` is null, only empty
// variants can be decoded.
//
// Returns INVALID_ARGUMENT for a dtype that no tensor has, for a shape that is
// not fully known, and for a tensor_content that has the wrong size for the
// shape or cannot be parsed. Also returns INVALID_ARGUMENT for a variant that
// has no decoder, that its decoder refuses, or that is nested more than
// kMaxVariantDepth deep.
//
// Returns RESOURCE_EXHAUSTED naming dtype and shape if the elements, their
// strings and the contents of variants take more than `max_bytes`, or if
// `allocator` has no memory. DecodeTensor counts bytes before it allocates
// memory for them. If `bytes` is not null, sets `*bytes` to the number of bytes
// counted. This number exceeds `max_bytes` if and only if the limit `max_bytes`
// caused an error.
absl::StatusOr<Tensor> DecodeTensor(const pb::TensorProto& proto,
                                    Allocator& allocator, int64_t max_bytes,
                                    const VariantDecoders* variants = nullptr,
                                    int64_t* bytes = nullptr);

// Overwrites `proto` with `tensor`. Plain bytes go to tensor_content, objects
// to string_val, resource_handle_val and variant_val. Returns INVALID_ARGUMENT
// for a tensor without a value, for a variant that has no encoding, and for a
// tensor that takes more than about `max_bytes` bytes. Strings, handles and
// variants take some bytes in addition to their contents. The estimate of these
// bytes may be too high, but not too low. Returns INTERNAL, with the name of
// the memory, if the tensor or a tensor in its variants is on a GPU.
absl::Status EncodeTensor(const Tensor& tensor, pb::TensorProto* proto,
                          int64_t max_bytes = kMaxEncodedTensorBytes);

// Returns the shape that `proto` describes. Names of dimensions are ignored.
// Returns INVALID_ARGUMENT if the rank is unknown but there are extents. Also
// fails as PartialShape::Create does.
absl::StatusOr<PartialShape> DecodeShape(const pb::TensorShapeProto& proto);

// Overwrites `proto` with `shape`, which may be a Shape.
void EncodeShape(const PartialShape& shape, pb::TensorShapeProto* proto);

}  // namespace leat

#endif  // LEAT_CORE_CODEC_TENSOR_CODEC_H_
