// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// VariantDecoders: which types of variants can be read from messages. A value
// writes itself (VariantValue::Encode). The format is TensorFlow's
// VariantTensorDataProto. Filled once, then const and thread-safe.
#ifndef LEAT_CORE_VARIANT_CODEC_H_
#define LEAT_CORE_VARIANT_CODEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"

namespace leat {

// What a message says of a variant: metadata and tensors are the type's own
// encoding.
struct VariantData {
  std::string type_name = {};
  std::string metadata = {};
  std::vector<Tensor> tensors = {};
};

// Makes the value from untrusted data; INVALID_ARGUMENT when it makes no sense.
using VariantDecoder = absl::StatusOr<Variant> (*)(VariantData data);

class VariantDecoders {
 public:
  // REQUIRES: not added yet for this type.
  void Add(absl::string_view type_name, VariantDecoder decoder);

  // Null for an unknown type.
  VariantDecoder Find(absl::string_view type_name) const;

 private:
  absl::flat_hash_map<std::string, VariantDecoder> decoders_;
};

// Varints as in protobuf messages, which metadata is made of.
void AppendVarint64(uint64_t value, std::string* out);
// Reads one from the front of `bytes`; false when it is cut off or too long.
bool TakeVarint64(absl::string_view& bytes, uint64_t& value);

}  // namespace leat

#endif  // LEAT_CORE_VARIANT_CODEC_H_
