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

void AppendVarint64(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

bool TakeVarint64(absl::string_view& bytes, uint64_t& value) {
  uint64_t result = 0;
  for (size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const uint64_t byte = static_cast<unsigned char>(bytes[i]);
    if (i == 9 && byte > 1) return false;
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      value = result;
      return true;
    }
  }
  return false;
}

}  // namespace leat
