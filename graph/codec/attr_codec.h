// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Converts AttrValue and AttrMap to and from TensorFlow's AttrValue messages.
// Decoding checks everything that it reads, because messages are untrusted.
//
// The functions of this header are thread-safe, but two threads must not share
// an AttrBudget.
#ifndef LEAT_GRAPH_CODEC_ATTR_CODEC_H_
#define LEAT_GRAPH_CODEC_ATTR_CODEC_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/attr.h"

namespace google::protobuf {
template <typename Key, typename T>
class Map;
}  // namespace google::protobuf

namespace leat::pb {
class AttrValue;
}  // namespace leat::pb

namespace leat {

class VariantDecoders;

// Limits the bytes of the tensors that decoding makes. A small message can ask
// for a large tensor, because one value can stand for all elements. One budget
// serves all attrs of a graph: decoding subtracts the bytes of each tensor from
// `remaining`.
struct AttrBudget {
  int64_t max_tensor_bytes = int64_t{2} << 30;  // of one tensor
  int64_t remaining = int64_t{8} << 30;  // of all tensors still to be decoded
  // Decodes the elements of variant tensors. If null, only empty variants can
  // be decoded. Is not owned, and must outlive the budget.
  const VariantDecoders* variants = nullptr;
};

// Is the type of the field `attr` of a NodeDef message, which holds the attrs
// of a node.
using AttrProtoMap = google::protobuf::Map<std::string, pb::AttrValue>;

// Decodes one attr. A message without a value gives std::monostate. Fails with
// INVALID_ARGUMENT for unknown dtypes, impossible shapes, a list with two types
// of elements, tensors that contradict themselves, or functions that nest too
// deeply in the attrs of other functions. Fails with RESOURCE_EXHAUSTED for a
// tensor above the budget, before any memory is allocated for it.
absl::StatusOr<AttrValue> AttrValueFromProto(const pb::AttrValue& proto,
                                             AttrBudget& budget);

// Decodes all attrs of a node. Fails as AttrValueFromProto does, naming the
// attr. In the shapes of an attr whose name begins with '_', extents below -1
// become unknown, because Grappler writes such numbers for extents that are
// unknown but equal.
absl::StatusOr<AttrMap> AttrMapFromProto(const AttrProtoMap& protos,
                                         AttrBudget& budget);

// AttrValueToProto encodes one value, and AttrMapToProto encodes all attrs of a
// node. Both overwrite the message. They fail only for a tensor that no message
// can hold, as EncodeTensor (core/codec/tensor_codec.h) does. Errors of
// AttrMapToProto name the attr.
absl::Status AttrValueToProto(const AttrValue& value, pb::AttrValue& proto);
absl::Status AttrMapToProto(const AttrMap& attrs, AttrProtoMap& protos);

}  // namespace leat

#endif  // LEAT_GRAPH_CODEC_ATTR_CODEC_H_
