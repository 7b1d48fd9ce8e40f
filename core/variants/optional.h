// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OptionalValue is a variant that holds either a list of tensors or nothing.
// TensorFlow's Optional* ops work on it.
#ifndef LEAT_CORE_VARIANTS_OPTIONAL_H_
#define LEAT_CORE_VARIANTS_OPTIONAL_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"

namespace leat {

// An OptionalValue is an optional list of tensors of any dtypes and shapes. It
// is immutable and so thread-safe. It shares the bytes of its tensors.
class OptionalValue final : public VariantValue {
 public:
  using Components = std::vector<Tensor>;

  // Makes an optional that holds nothing.
  OptionalValue() = default;
  // Makes an optional that holds `components`, which may be an empty list.
  // Returns INVALID_ARGUMENT if variants would be nested deeper than
  // kMaxVariantDepth.
  static absl::StatusOr<OptionalValue> Create(Components components);

  // Returns true if there is a list of tensors, even an empty one.
  bool has_value() const { return components_.has_value(); }
  // REQUIRES: has_value().
  const Components& components() const { return *components_; }
  int depth() const override { return depth_; }

  absl::string_view type_name() const override;
  std::string DebugString() const override;
  // Encodes as TensorFlow 2.15 does. The metadata is one byte: 1 if there is a
  // value, and 0 if not. The tensors are the components.
  absl::StatusOr<VariantData> Encode() const override;
  // Decodes what Encode has written. Returns INVALID_ARGUMENT if the metadata
  // is not 0 or 1, if it is 0 but there are tensors, or if variants would be
  // nested deeper than kMaxVariantDepth.
  static absl::StatusOr<Variant> Decode(VariantData data);

 private:
  std::optional<Components> components_;
  int depth_ = 1;
};

}  // namespace leat

#endif  // LEAT_CORE_VARIANTS_OPTIONAL_H_
