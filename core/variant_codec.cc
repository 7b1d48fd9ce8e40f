// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/variant_codec.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"

namespace leat {

absl::StatusOr<VariantData> VariantValue::Encode() const {
  return absl::InvalidArgumentError(
      absl::StrCat("A variant of type '", type_name(), "' cannot be encoded"));
}

int VariantDepth(const Tensor& tensor) {
  int depth = 0;
  if (tensor.dtype() != DType::kVariant) return depth;
  for (const Variant& variant : tensor.data<Variant>()) {
    depth = std::max(depth, variant.depth());
  }
  return depth;
}

absl::Status CheckVariantDepth(const Tensor& tensor) {
  if (VariantDepth(tensor) < kMaxVariantDepth) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Variants are nested more than ", kMaxVariantDepth,
                   " deep in each other"));
}

void VariantDecoders::Add(absl::string_view type_name, VariantDecoder decoder) {
  LEAT_CHECK(decoders_.emplace(type_name, decoder).second);
}

VariantDecoder VariantDecoders::Find(absl::string_view type_name) const {
  const auto it = decoders_.find(type_name);
  return it == decoders_.end() ? nullptr : it->second;
}

}  // namespace leat
