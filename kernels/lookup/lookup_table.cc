// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/lookup_table.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

absl::Status LookupTable::Initialize(KernelContext&, const Tensor&,
                                     const Tensor&) {
  return absl::InvalidArgumentError(
      absl::StrCat("Table ", options_.name, " is not initializable"));
}

std::string LookupTable::DebugString() const {
  return absl::StrCat("A lookup table of size: ", size());
}

absl::StatusOr<Shape> LookupTable::ShapeOfValues(const Shape& keys) const {
  const auto key = options_.key_shape.dims();
  const auto dims = keys.dims();
  if (dims.size() < key.size() ||
      dims.subspan(dims.size() - key.size()) != key) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input key shape ", keys.DebugString(),
                     " must end with the table's key shape ",
                     options_.key_shape.DebugString()));
  }
  Dims result(dims.begin(), dims.end() - static_cast<int64_t>(key.size()));
  const auto value = options_.value_shape.dims();
  result.insert(result.end(), value.begin(), value.end());
  return Shape::Create(result);
}

absl::Status LookupTable::CheckEntries(const Tensor& keys,
                                       const Tensor& values) const {
  LEAT_ASSIGN_OR_RETURN(const Shape expected, ShapeOfValues(keys.shape()));
  if (values.shape() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Expected shape ", expected.DebugString(),
                   " for value, got ", values.shape().DebugString()));
}

absl::Status LookupTable::CheckDefault(const Tensor& default_value,
                                       const Shape& all) const {
  const Shape& shape = default_value.shape();
  if (shape == options_.value_shape || shape == all) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Expected shape ", options_.value_shape.DebugString(), " or ",
      all.DebugString(), " for default value, got ", shape.DebugString()));
}

}  // namespace leat::kernels
