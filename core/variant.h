// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Variant: the element of a tensor of dtype kVariant: any immutable value that
// kernels agree on (tensor lists, optionals, datasets). Copies share the value.
#ifndef LEAT_CORE_VARIANT_H_
#define LEAT_CORE_VARIANT_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "boost/smart_ptr/intrusive_ptr.hpp"

namespace leat {

class Tensor;
struct VariantData;

// How deep variants may stand in each other: a list of lists is 2. Whatever
// holds tensors of variants refuses more, so that recursion over values (the
// destructors', for one) ends. A message nests twice as deep, and protobuf
// reads no more than 100 levels.
inline constexpr int kMaxVariantDepth = 32;

// Immutable while more than one Variant refers to it, and then thread-safe.
// Deleted with the last reference.
class VariantValue {
 public:
  VariantValue() = default;
  // The references are the object's own.
  VariantValue(const VariantValue&) {}
  VariantValue& operator=(const VariantValue&) { return *this; }
  virtual ~VariantValue() = default;

  // TensorFlow's registered type name, such as "tensorflow::TensorList".
  virtual absl::string_view type_name() const = 0;
  virtual std::string DebugString() const = 0;

  // 1 more than the deepest variant inside.
  virtual int depth() const { return 1; }

  // What a message says of this value (variant_codec.h). INVALID_ARGUMENT for
  // a type that has no encoding.
  virtual absl::StatusOr<VariantData> Encode() const;

  // There is one reference: nobody else can read or take one.
  bool IsUnique() const { return refs_.load(std::memory_order_acquire) == 1; }

 private:
  friend void intrusive_ptr_add_ref(const VariantValue* value) {
    value->refs_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const VariantValue* value) {
    if (value->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete value;
    }
  }

  // One value may stand in more than 2^31 elements.
  mutable std::atomic<int64_t> refs_{0};
};

class Variant {
 public:
  Variant() = default;
  explicit Variant(boost::intrusive_ptr<const VariantValue> value)
      : value_(std::move(value)) {}

  template <class T>
  static Variant Of(T value) {
    return Variant(boost::intrusive_ptr<const T>(new T(std::move(value))));
  }

  // Null when empty. Valid as long as some Variant refers to it.
  const VariantValue* value() const { return value_.get(); }
  // The value as a T; null when empty or of another class.
  template <class T>
  const T* get() const {
    return dynamic_cast<const T*>(value_.get());
  }
  // The same, to be changed: null too when another Variant refers to it.
  template <class T>
  T* MutableIfUnique() {
    if (value_ == nullptr || !value_->IsUnique()) return nullptr;
    // Only Variants hold values, and they are not created const.
    return dynamic_cast<T*>(const_cast<VariantValue*>(value_.get()));
  }

  int depth() const { return value_ == nullptr ? 0 : value_->depth(); }

 private:
  boost::intrusive_ptr<const VariantValue> value_;
};

// The depth of the deepest variant in a tensor; 0 unless it is of variants.
int VariantDepth(const Tensor& tensor);

// INVALID_ARGUMENT when a value that holds `tensor` were too deep.
absl::Status CheckVariantDepth(const Tensor& tensor);

}  // namespace leat

#endif  // LEAT_CORE_VARIANT_H_
