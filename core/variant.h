// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Variant is the element of a tensor of dtype kVariant. It holds any value that
// kernels agree on, such as a TensorList or an OptionalValue.
//
//   Variant variant = Variant::Of(TensorList(DType::kFloat, PartialShape()));
//   const TensorList* list = variant.get<TensorList>();  // null if it is none
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

// Limits the depth of nested variants. A list of lists has depth 2. A value
// refuses a tensor that would make the value deeper than this limit. Otherwise
// functions that recurse over values, such as destructors, could exhaust the
// stack. Besides, protobuf reads at most 100 levels of nested messages, and
// each level of variants takes two of these levels.
inline constexpr int kMaxVariantDepth = 32;

// Is the base class of the values in variants. A value counts the Variants that
// refer to it and is deleted when the last one is destroyed. While several
// Variants refer to a value, the value is immutable and therefore thread-safe.
class VariantValue {
 public:
  VariantValue() = default;
  // Copying and assigning do not copy the reference count, because the count is
  // the number of references to one object.
  VariantValue(const VariantValue&) {}
  VariantValue& operator=(const VariantValue&) { return *this; }
  virtual ~VariantValue() = default;

  // Returns the type name under which TensorFlow registers the type, such as
  // "tensorflow::TensorList".
  virtual absl::string_view type_name() const = 0;
  virtual std::string DebugString() const = 0;

  // Returns 1 more than the depth of the deepest variant inside of this value.
  virtual int depth() const { return 1; }

  // Returns the encoding of this value for a message (variant_codec.h). Types
  // without an encoding do not override this function. It then returns
  // INVALID_ARGUMENT.
  virtual absl::StatusOr<VariantData> Encode() const;

  // Returns true if there is only one reference. Then only the owner of this
  // reference can read the value or take another reference.
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

  // More than 2^31 elements of tensors may refer to one value.
  mutable std::atomic<int64_t> refs_{0};
};

// A Variant is a shared reference to a value, or empty. Copies share the value.
// It is thread-compatible.
class Variant {
 public:
  // Makes an empty variant.
  Variant() = default;
  explicit Variant(boost::intrusive_ptr<const VariantValue> value)
      : value_(std::move(value)) {}

  // Returns a variant that holds `value`. T is a subclass of VariantValue.
  template <class T>
  static Variant Of(T value) {
    return Variant(boost::intrusive_ptr<const T>(new T(std::move(value))));
  }

  // Returns the value, or null if this is empty. The pointer stays valid while
  // some Variant refers to the value.
  const VariantValue* value() const { return value_.get(); }
  // Returns the value as a T, or null if this is empty or the value is of
  // another class.
  template <class T>
  const T* get() const {
    return dynamic_cast<const T*>(value_.get());
  }
  // Returns the value as a T that the caller may change. Returns null if this
  // is empty, if the value is of another class, or if another Variant shares
  // the value.
  template <class T>
  T* MutableIfUnique() {
    if (value_ == nullptr || !value_->IsUnique()) return nullptr;
    // The cast is valid because no value is created as a const object.
    return dynamic_cast<T*>(const_cast<VariantValue*>(value_.get()));
  }

  // Returns the depth of the value, or 0 if this is empty.
  int depth() const { return value_ == nullptr ? 0 : value_->depth(); }

 private:
  boost::intrusive_ptr<const VariantValue> value_;
};

// Returns the depth of the deepest variant in a tensor, or 0 for a tensor of
// another dtype.
int VariantDepth(const Tensor& tensor);

// Returns INVALID_ARGUMENT if a value that holds `tensor` would be deeper than
// kMaxVariantDepth.
absl::Status CheckVariantDepth(const Tensor& tensor);

}  // namespace leat

#endif  // LEAT_CORE_VARIANT_H_
