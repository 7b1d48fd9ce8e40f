// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AttrValue and AttrMap to and from TensorFlow's AttrValue messages. Decoding
// is for untrusted bytes. Thread-safe.
#ifndef LEAT_GRAPH_ATTR_CODEC_H_
#define LEAT_GRAPH_ATTR_CODEC_H_

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

// What decoded tensors may hold, and how many bytes they may take: a small
// message can ask for a large tensor (one value, repeated). Decoding takes from
// `remaining`.
struct AttrBudget {
  int64_t max_tensor_bytes = int64_t{2} << 30;
  int64_t remaining = int64_t{8} << 30;
  // What reads variants in tensors; null: only empty ones are read. Borrowed.
  const VariantDecoders* variants = nullptr;
};

using AttrProtoMap = google::protobuf::Map<std::string, pb::AttrValue>;

// INVALID_ARGUMENT for unknown dtypes, impossible shapes, a list of two element
// types, tensors that contradict themselves, or functions nested too deeply in
// each other's attrs. RESOURCE_EXHAUSTED, before anything is allocated, for a
// tensor above the budget. An attr without a value is a monostate.
absl::StatusOr<AttrValue> AttrValueFromProto(const pb::AttrValue& proto,
                                             AttrBudget& budget);

// The same for all attrs of a node; errors name the attr. In the shapes of one
// whose name begins with '_', extents below -1 (Grappler's symbols) are
// unknown.
absl::StatusOr<AttrMap> AttrMapFromProto(const AttrProtoMap& protos,
                                         AttrBudget& budget);

// Overwrites the message. Fails only as EncodeTensor does: for a tensor that no
// message can hold.
absl::Status AttrValueToProto(const AttrValue& value, pb::AttrValue& proto);
absl::Status AttrMapToProto(const AttrMap& attrs, AttrProtoMap& protos);

}  // namespace leat

#endif  // LEAT_GRAPH_ATTR_CODEC_H_
