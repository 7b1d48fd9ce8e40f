// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors and shapes to and from TensorFlow's TensorProto and TensorShapeProto.
//
// The decoders take bytes from graphs, feeds, files and peers: whatever those
// contain, the answer is a Status. Stateless, thread-safe.
#ifndef LEAT_CORE_TENSOR_CODEC_H_
#define LEAT_CORE_TENSOR_CODEC_H_

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

// What decoders pass as `max_bytes` unless they know better: a protobuf message
// cannot hold more, though one value may stand for any number of elements.
inline constexpr int64_t kMaxDecodedTensorBytes = int64_t{2} << 30;

// A message has at most 2^31 - 1 bytes, some of them for its other fields.
inline constexpr int64_t kMaxEncodedTensorBytes = INT32_MAX - 4096;

// The tensor that `proto` describes, in memory of `allocator` (host memory).
// Bytes of tensor_content if there are any, else values of the field for the
// dtype: the last one repeated when there are fewer than elements, zeros when
// there are none, surplus ones ignored, as in TensorFlow.
//
// Variants are read by `variants`; without it only empty ones are.
//
// INVALID_ARGUMENT for a dtype that no tensor has, a shape that is not fully
// known, content of another length than the shape asks for, and variants that
// have no decoder, are refused by it, or stand more than kMaxVariantDepth deep
// in each other. RESOURCE_EXHAUSTED, before it is allocated, naming dtype and
// shape when elements, their strings and what is in variants take more than
// `max_bytes`. `*bytes` becomes how many they take: more than `max_bytes`, then
// and only then.
absl::StatusOr<Tensor> DecodeTensor(const pb::TensorProto& proto,
                                    Allocator& allocator, int64_t max_bytes,
                                    const VariantDecoders* variants = nullptr,
                                    int64_t* bytes = nullptr);

// Overwrites `proto`: tensor_content for plain bytes, else string_val,
// resource_handle_val and variant_val. INVALID_ARGUMENT for a tensor without
// value, with a variant that has no encoding, or one too large for a protobuf
// message: more than about `max_bytes`, which counts what surrounds strings,
// handles and variants generously. REQUIRES: host memory, also of tensors in
// variants.
absl::Status EncodeTensor(const Tensor& tensor, pb::TensorProto* proto,
                          int64_t max_bytes = kMaxEncodedTensorBytes);

// INVALID_ARGUMENT as PartialShape::Create, and for extents beside
// unknown_rank. Names of dimensions are ignored.
absl::StatusOr<PartialShape> DecodeShape(const pb::TensorShapeProto& proto);

// Overwrites `proto`. Every Shape is a PartialShape.
void EncodeShape(const PartialShape& shape, pb::TensorShapeProto* proto);

}  // namespace leat

#endif  // LEAT_CORE_TENSOR_CODEC_H_
