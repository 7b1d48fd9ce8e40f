// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/variants/optional.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant_codec.h"
#include "leat/core/wire_names.h"

namespace leat {

absl::StatusOr<OptionalValue> OptionalValue::Create(Components components) {
  OptionalValue value;
  for (const Tensor& tensor : components) {
    LEAT_RETURN_IF_ERROR(CheckVariantDepth(tensor));
    value.depth_ = std::max(value.depth_, 1 + VariantDepth(tensor));
  }
  value.components_ = std::move(components);
  return value;
}

absl::string_view OptionalValue::type_name() const { return kOptionalTypeName; }

std::string OptionalValue::DebugString() const {
  if (!has_value()) return "Optional of nothing";
  std::string text = "Optional of";
  for (const Tensor& tensor : *components_) {
    absl::StrAppend(&text, " ", Name(tensor.dtype()),
                    tensor.shape().DebugString());
  }
  return text;
}

absl::StatusOr<VariantData> OptionalValue::Encode() const {
  VariantData data;
  data.type_name = std::string(type_name());
  data.metadata = std::string(1, has_value() ? '\1' : '\0');
  if (has_value()) data.tensors = *components_;
  return data;
}

absl::StatusOr<Variant> OptionalValue::Decode(VariantData data) {
  const bool has_value = data.metadata == absl::string_view("\1", 1);
  if (!has_value &&
      (data.metadata != absl::string_view("\0", 1) || !data.tensors.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The encoding of a '", kOptionalTypeName, "' has ", data.tensors.size(),
        " tensors and the metadata '", absl::CHexEscape(data.metadata),
        "', but its metadata must be '\\x01', or '\\x00' if it has no "
        "tensors"));
  }
  if (!has_value) return Variant::Of(OptionalValue());
  LEAT_ASSIGN_OR_RETURN(OptionalValue value, Create(std::move(data.tensors)));
  return Variant::Of(std::move(value));
}

}  // namespace leat
