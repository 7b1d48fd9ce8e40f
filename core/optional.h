// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OptionalValue: a variant that holds some tensors, or nothing: what
// TensorFlow's Optional* ops work on. Immutable, thread-safe.
#ifndef LEAT_CORE_OPTIONAL_H_
#define LEAT_CORE_OPTIONAL_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"

namespace leat {

class OptionalValue final : public VariantValue {
 public:
  using Components = std::vector<Tensor>;

  // Nothing.
  OptionalValue() = default;
  // INVALID_ARGUMENT when variants stand too deep in each other.
  static absl::StatusOr<OptionalValue> Create(Components components);

  bool has_value() const { return components_.has_value(); }
  // REQUIRES: has_value().
  const Components& components() const { return *components_; }

  absl::string_view type_name() const override;
  std::string DebugString() const override;
  int depth() const override { return depth_; }
  // As TensorFlow 2.15 does: one byte that says whether there is a value, and
  // its tensors.
  absl::StatusOr<VariantData> Encode() const override;
  static absl::StatusOr<Variant> Decode(VariantData data);

 private:
  std::optional<Components> components_;
  int depth_ = 1;
};

}  // namespace leat

#endif  // LEAT_CORE_OPTIONAL_H_
