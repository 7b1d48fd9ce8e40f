// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tensor: a typed, shaped view of shared bytes, the value on every edge.
//
// Copying shares the bytes. Elements are row-major. Strings, resource handles
// and variants are objects in host memory, constructed and destroyed with the
// buffer. Thread-compatible; sharing bytes between threads is safe as long as
// nobody writes. Accessors that a graph's contents could break return Status;
// data<T>() and scalar<T>() are for callers that have checked dtype and shape.
#ifndef LEAT_CORE_TENSOR_H_
#define LEAT_CORE_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/buffer.h"
#include "leat/core/check.h"
#include "leat/core/dtype.h"
#include "leat/core/shape.h"

namespace leat {

class Tensor {
 public:
  // No value: dtype kInvalid.
  Tensor() = default;

  // Uninitialised plain bytes, or default-constructed objects.
  // RESOURCE_EXHAUSTED with dtype, shape and allocator when there is no memory;
  // INVALID_ARGUMENT when the byte count overflows or dtype is kInvalid.
  // `held_bytes` are what the objects are going to hold outside of the buffer;
  // the allocator counts them as long as the buffer lives.
  static absl::StatusOr<Tensor> Allocate(Allocator& allocator, DType dtype,
                                         const Shape& shape,
                                         int64_t held_bytes = 0);

  // A view of bytes that somebody else laid out, such as a received slice.
  // REQUIRES: plain dtype; data aligned to the element and inside the buffer.
  static Tensor FromBuffer(DType dtype, const Shape& shape, BufferRef buffer,
                           char* data);

  // Host tensors from values, for our own code and tests. REQUIRES: as many
  // values as elements.
  template <class T>
  static Tensor Scalar(const T& value) {
    return FromSpan<T>(Shape{}, absl::MakeConstSpan(&value, 1));
  }
  template <class T>
  static Tensor Of(const Shape& shape, std::initializer_list<T> values) {
    return FromSpan<T>(shape,
                       absl::MakeConstSpan(values.begin(), values.size()));
  }
  template <class T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Of<T>(Shape{static_cast<int64_t>(values.size())}, values);
  }
  template <class T>
  static Tensor FromSpan(const Shape& shape, absl::Span<const T> values);
  // All elements `value`.
  template <class T>
  static Tensor Filled(const Shape& shape, const T& value);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  bool IsValid() const { return dtype_ != DType::kInvalid; }

  // Becomes Tensor().
  void Reset() {
    dtype_ = DType::kInvalid;
    shape_ = Shape();
    buffer_.reset();
    data_ = nullptr;
  }

  // Bytes of the elements' plain form (objects count their own size only).
  int64_t num_bytes() const;

  // Bytes that the objects hold outside of the buffer; 0 for plain elements.
  // Reads every object.
  int64_t held_bytes() const;

  // REQUIRES: kDTypeOf<T> == dtype().
  template <class T>
  absl::Span<const T> data() const {
    LEAT_CHECK(kDTypeOf<T> == dtype_);
    return absl::Span<const T>(reinterpret_cast<const T*>(data_),
                               static_cast<size_t>(num_elements()));
  }
  // Also: nobody reads the bytes meanwhile (see IsUnique).
  template <class T>
  absl::Span<T> mutable_data() {
    LEAT_CHECK(kDTypeOf<T> == dtype_);
    return absl::Span<T>(reinterpret_cast<T*>(data_),
                         static_cast<size_t>(num_elements()));
  }
  const char* raw_data() const { return data_; }
  char* mutable_raw_data() { return data_; }

  // The value of a one-element tensor. REQUIRES: that, and the dtype.
  template <class T>
  const T& scalar() const {
    LEAT_CHECK(num_elements() == 1);
    return data<T>()[0];
  }

  // Rows [begin, end) of the first dimension, sharing the bytes.
  // REQUIRES: rank >= 1, 0 <= begin <= end <= dim(0).
  Tensor Slice(int64_t begin, int64_t end) const;

  // The same bytes under another shape. INVALID_ARGUMENT unless the element
  // counts are equal.
  absl::StatusOr<Tensor> Reshaped(const Shape& shape) const;

  // This tensor holds the only reference to its bytes.
  bool IsUnique() const { return buffer_ != nullptr && buffer_->IsUnique(); }
  bool SharesBufferWith(const Tensor& other) const {
    return buffer_ != nullptr && buffer_ == other.buffer_;
  }
  const BufferRef& buffer() const { return buffer_; }

  // An equal tensor with bytes of its own.
  absl::StatusOr<Tensor> Copy(Allocator& allocator) const;

  // "float[2,2] 1 2 3 ..." with at most `max_elements` values.
  std::string DebugString(int max_elements = 6) const;

 private:
  DType dtype_ = DType::kInvalid;
  Shape shape_;
  BufferRef buffer_;
  char* data_ = nullptr;
};

// A checked read of a one-element tensor: INVALID_ARGUMENT naming `what` when
// the dtype differs or there is not exactly one element.
template <class T>
absl::StatusOr<T> GetScalar(const Tensor& tensor, absl::string_view what);

// The values of a tensor of signed integers of rank <= 1 as int64 (axes,
// shapes, permutations); INVALID_ARGUMENT naming `what` otherwise.
absl::StatusOr<Dims> GetIndices(const Tensor& tensor, absl::string_view what);

// The shape that such a tensor describes; fails as Shape::Create does.
absl::StatusOr<Shape> GetShape(const Tensor& tensor, absl::string_view what);

// Same dtype, shape and bytes (floats compare bitwise).
bool Identical(const Tensor& a, const Tensor& b);

// ---------------------------------------------------------------------------

namespace internal {
absl::Status ScalarError(const Tensor& tensor, DType wanted,
                         absl::string_view what);
Tensor AllocateOrDie(DType dtype, const Shape& shape);
}  // namespace internal

template <class T>
Tensor Tensor::FromSpan(const Shape& shape, absl::Span<const T> values) {
  LEAT_CHECK(static_cast<int64_t>(values.size()) == shape.num_elements());
  Tensor tensor = internal::AllocateOrDie(kDTypeOf<T>, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>().begin());
  return tensor;
}

template <class T>
Tensor Tensor::Filled(const Shape& shape, const T& value) {
  Tensor tensor = internal::AllocateOrDie(kDTypeOf<T>, shape);
  auto data = tensor.mutable_data<T>();
  std::fill(data.begin(), data.end(), value);
  return tensor;
}

template <class T>
absl::StatusOr<T> GetScalar(const Tensor& tensor, absl::string_view what) {
  if (tensor.dtype() != kDTypeOf<T> || tensor.num_elements() != 1) {
    return internal::ScalarError(tensor, kDTypeOf<T>, what);
  }
  return tensor.data<T>()[0];
}

}  // namespace leat

#endif  // LEAT_CORE_TENSOR_H_
