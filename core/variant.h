// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Variant: the element of a tensor of dtype kVariant: any immutable value that
// kernels agree on (tensor lists, optionals, datasets). Copies share the value.
#ifndef LEAT_CORE_VARIANT_H_
#define LEAT_CORE_VARIANT_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Immutable once in a Variant, and then thread-safe.
class VariantValue {
 public:
  virtual ~VariantValue() = default;
  // TensorFlow's registered type name, such as "tensorflow::TensorList".
  virtual absl::string_view type_name() const = 0;
  virtual std::string DebugString() const = 0;
};

class Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<const VariantValue> value)
      : value_(std::move(value)) {}

  // Null when empty.
  const VariantValue* value() const { return value_.get(); }
  // The value as a T; null when empty or of another class.
  template <class T>
  std::shared_ptr<const T> get() const {
    return std::dynamic_pointer_cast<const T>(value_);
  }

 private:
  std::shared_ptr<const VariantValue> value_;
};

}  // namespace leat

#endif  // LEAT_CORE_VARIANT_H_
