// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// VariantDecoders maps names of variant types to functions that decode them
// from messages. Encoding needs no table: values encode themselves
// (VariantValue::Encode). The format is TensorFlow's VariantTensorDataProto.
#ifndef LEAT_CORE_VARIANT_CODEC_H_
#define LEAT_CORE_VARIANT_CODEC_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"

namespace leat {

// Describes a variant in the form that it has in a message. The variant's type
// defines what the metadata and the tensors mean.
struct VariantData {
  std::string type_name = {};        // VariantValue::type_name()
  std::string metadata = {};         // any bytes
  std::vector<Tensor> tensors = {};  // in host memory
};

// Makes a value from untrusted data. Returns INVALID_ARGUMENT if the data does
// not encode a value of the type.
using VariantDecoder = absl::StatusOr<Variant> (*)(VariantData data);

// Is a registry of decoders. It is filled once, before it is shared; const
// access is thread-safe.
class VariantDecoders {
 public:
  // Adds the decoder of a type. REQUIRES: the type has none yet.
  void Add(absl::string_view type_name, VariantDecoder decoder);

  // Returns the decoder of a type, or null if it has none.
  VariantDecoder Find(absl::string_view type_name) const;

 private:
  absl::flat_hash_map<std::string, VariantDecoder> decoders_;
};

}  // namespace leat

#endif  // LEAT_CORE_VARIANT_CODEC_H_
