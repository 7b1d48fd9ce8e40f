// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Tensor is a typed, shaped view of shared bytes. Every edge of a graph
// carries a Tensor, and clients feed and fetch Tensors.
//
//   const Tensor x = Tensor::Of<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
//   const Tensor row = x.Slice(1, 2);         // float[1,3], shares x's bytes
//   const float last = row.data<float>()[2];  // 6
//   LEAT_ASSIGN_OR_RETURN(const Tensor column, x.Reshaped(Shape{6, 1}));
//   LEAT_ASSIGN_OR_RETURN(float loss, GetScalar<float>(fetched[0], "loss"));
//
// Accessors that may fail because of what a graph contains return a Status.
// data<T>() and scalar<T>() are for callers that have checked dtype and shape.
// They are for tensors in memory of the host only.
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

// A Tensor is a reference to a buffer, with a dtype and a shape. Copying a
// tensor shares the bytes. Elements are in row-major order. Strings, resource
// handles and variants are objects in host memory, constructed and destroyed
// with the buffer.
//
// A Tensor is thread-compatible. Several threads may read the bytes at the same
// time if nobody writes them.
class Tensor {
 public:
  // Makes a tensor without a value, whose dtype is kInvalid.
  Tensor() = default;

  // Allocates a tensor of uninitialised plain bytes or of default-constructed
  // objects. `held_bytes` is the number of bytes that the objects will hold
  // outside of the buffer. The allocator counts these bytes until the buffer is
  // freed. Returns RESOURCE_EXHAUSTED naming dtype, shape and allocator if
  // there is no memory. Returns INVALID_ARGUMENT if the byte count overflows or
  // if `dtype` is kInvalid or a reference.
  static absl::StatusOr<Tensor> Allocate(Allocator& allocator, DType dtype,
                                         const Shape& shape,
                                         int64_t held_bytes = 0);

  // Returns a tensor of the elements that are already in `buffer`, starting at
  // `data`. `buffer` may be, for example, a received message. The tensor shares
  // the ownership of `buffer`. REQUIRES: `dtype` is a type of plain bytes,
  // `data` is aligned to the element, and all elements lie inside of the
  // buffer.
  static Tensor FromBuffer(DType dtype, const Shape& shape, BufferRef buffer,
                           char* data);

  // Returns a host tensor of rank 0. This and the next four functions end the
  // process if there is no memory. So do not use them if a graph, feed, file or
  // peer determines the size of the tensor.
  template <class T>
  static Tensor Scalar(const T& value) {
    return FromSpan<T>(Shape{}, absl::MakeConstSpan(&value, 1));
  }
  // Returns a host tensor of `shape` whose elements are `values` in row-major
  // order. REQUIRES: there are as many values as elements.
  template <class T>
  static Tensor Of(const Shape& shape, std::initializer_list<T> values) {
    return FromSpan<T>(shape,
                       absl::MakeConstSpan(values.begin(), values.size()));
  }
  // Returns a host tensor of rank 1.
  template <class T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Of<T>(Shape{static_cast<int64_t>(values.size())}, values);
  }
  // Does the same as Of, but copies the values from a span.
  template <class T>
  static Tensor FromSpan(const Shape& shape, absl::Span<const T> values);
  // Returns a host tensor whose elements all equal `value`.
  template <class T>
  static Tensor Filled(const Shape& shape, const T& value);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  // Returns extent `i` of the shape. REQUIRES: 0 <= i < rank().
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  // Returns false for Tensor(), which has no value.
  bool IsValid() const { return dtype_ != DType::kInvalid; }

  // Makes this tensor equal to Tensor() and releases the reference to the
  // bytes.
  void Reset() {
    dtype_ = DType::kInvalid;
    is_on_gpu_ = false;
    shape_ = Shape();
    buffer_.reset();
    data_ = nullptr;
  }

  // Returns true if the elements lie in the memory of a GPU, so that only
  // kernels of that GPU can access them.
  bool IsOnGpu() const { return is_on_gpu_; }

  // Returns how many bytes the elements take in the buffer. Bytes that objects
  // hold outside of the buffer do not count.
  int64_t num_bytes() const;

  // Returns how many bytes the objects hold outside of the buffer. Returns 0
  // for plain elements. Reads every object.
  int64_t held_bytes() const;

  // Returns the elements. REQUIRES: kDTypeOf<T> == dtype() and !IsOnGpu().
  template <class T>
  absl::Span<const T> data() const {
    LEAT_CHECK(kDTypeOf<T> == dtype_ && !is_on_gpu_);
    return absl::Span<const T>(reinterpret_cast<const T*>(data_),
                               static_cast<size_t>(num_elements()));
  }
  // Returns the elements for writing. REQUIRES: kDTypeOf<T> == dtype(),
  // !IsOnGpu(), and nobody else reads the bytes while the caller writes them
  // (see IsUnique).
  template <class T>
  absl::Span<T> mutable_data() {
    LEAT_CHECK(kDTypeOf<T> == dtype_ && !is_on_gpu_);
    return absl::Span<T>(reinterpret_cast<T*>(data_),
                         static_cast<size_t>(num_elements()));
  }
  // These two functions return the address of the first element, or null for
  // Tensor(). The host must not use the address if IsOnGpu().
  const char* raw_data() const { return data_; }
  char* mutable_raw_data() { return data_; }

  // Returns the value of a one-element tensor.
  // REQUIRES: num_elements() == 1, kDTypeOf<T> == dtype().
  template <class T>
  const T& scalar() const {
    LEAT_CHECK(num_elements() == 1);
    return data<T>()[0];
  }

  // Returns rows [begin, end) of the first dimension. The result shares the
  // bytes of this tensor. REQUIRES: rank() >= 1, 0 <= begin <= end <= dim(0).
  Tensor Slice(int64_t begin, int64_t end) const;

  // Returns a tensor with the shape `shape` that shares the bytes of this
  // tensor. Returns INVALID_ARGUMENT if the element counts differ.
  absl::StatusOr<Tensor> Reshaped(const Shape& shape) const;

  // Returns true if this tensor holds the only reference to its bytes.
  bool IsUnique() const { return buffer_ != nullptr && buffer_->IsUnique(); }
  // Returns true if both tensors lie in the same buffer, even if their bytes do
  // not overlap.
  bool SharesBufferWith(const Tensor& other) const {
    return buffer_ != nullptr && buffer_ == other.buffer_;
  }
  // Returns the buffer that holds the bytes, or null for Tensor().
  const BufferRef& buffer() const { return buffer_; }

  // Returns an equal tensor in a new buffer from `allocator`. Returns
  // RESOURCE_EXHAUSTED if there is no memory, and INTERNAL if this tensor is on
  // a GPU and `allocator` is not of that GPU, or the reverse.
  absl::StatusOr<Tensor> Copy(Allocator& allocator) const;

  // Returns a text with the dtype, the shape and at most `max_elements` values,
  // such as "float[2,2] 1 2 3 ...". For a tensor on a GPU, returns a text such
  // as "float[2,2] in gpu:0".
  std::string DebugString(int max_elements = 6) const;

 private:
  DType dtype_ = DType::kInvalid;
  bool is_on_gpu_ = false;  // copied from buffer_ to save a load
  Shape shape_;
  BufferRef buffer_;
  char* data_ = nullptr;  // the first element, inside of buffer_
};

// Returns the value of a one-element tensor. Returns INVALID_ARGUMENT if the
// dtype differs or there is not exactly one element. The message calls the
// tensor `what`.
template <class T>
absl::StatusOr<T> GetScalar(const Tensor& tensor, absl::string_view what);

// Returns INVALID_ARGUMENT naming `what` if the tensor does not have rank 0.
// GetScalar is less strict: like many ops, it accepts a tensor of any rank that
// has one element.
absl::Status CheckScalar(const Tensor& tensor, absl::string_view what);

// Returns the values of a tensor of signed integers of rank 0 or 1, such as
// axes, a shape or a permutation. Returns INVALID_ARGUMENT naming `what` for
// another dtype or rank.
absl::StatusOr<Dims> GetIndices(const Tensor& tensor, absl::string_view what);

// Returns the shape whose extents are the values of the vector `tensor`.
// Returns INVALID_ARGUMENT naming `what` if `tensor` is not a vector. A scalar
// is an error, too: TensorFlow does not accept it as a shape of one extent.
// Also fails as GetIndices and Shape::Create do.
absl::StatusOr<Shape> GetShape(const Tensor& tensor, absl::string_view what);

// Returns true if `a` and `b` have the same dtype, shape and elements. Plain
// elements, including floats, are compared byte by byte. Two variants are equal
// if they share their value. REQUIRES: neither is on a GPU.
bool Identical(const Tensor& a, const Tensor& b);

// ---------------------------------------------------------------------------
// The rest of this file is implementation.

namespace internal {
// Returns GetScalar's error.
absl::Status ScalarError(const Tensor& tensor, DType wanted,
                         absl::string_view what);
// Returns an uninitialised host tensor. Ends the process if there is no memory.
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
