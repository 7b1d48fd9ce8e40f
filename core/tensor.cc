// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/tensor.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"

namespace leat {
namespace {

// An ObjectBuffer is a buffer of objects. This ObjectBuffer lies in front of
// the objects, in the same block from an allocator. It keeps the block until
// the objects are destroyed.
template <class T>
class ObjectBuffer final : public Buffer {
 public:
  static constexpr size_t kHeader = kBufferAlignment;

  // Returns a buffer of `count` default-constructed objects. The objects will
  // hold `held_bytes` bytes elsewhere. Returns null if the allocator has no
  // memory.
  static BufferRef New(Allocator& allocator, size_t count, int64_t held_bytes) {
    static_assert(sizeof(ObjectBuffer) <= kHeader);
    static_assert(alignof(T) <= kBufferAlignment);
    BufferRef held;
    if (held_bytes > 0) {
      held = allocator.Reserve(held_bytes);
      if (held == nullptr) return nullptr;
    }
    BufferRef block = allocator.Allocate(kHeader + count * sizeof(T));
    if (block == nullptr) return nullptr;
    LEAT_CHECK(block->memory().IsOfHost());
    char* const start = block->data();
    std::uninitialized_value_construct_n(reinterpret_cast<T*>(start + kHeader),
                                         count);
    return BufferRef(new (start) ObjectBuffer(
        start + kHeader, count * sizeof(T), std::move(block), std::move(held)));
  }

 private:
  ObjectBuffer(char* data, size_t size, BufferRef block, BufferRef held)
      : Buffer(data, size), block_(std::move(block)), held_(std::move(held)) {}

  void Dispose() override {
    std::destroy_n(reinterpret_cast<T*>(data()), size() / sizeof(T));
    // The block also holds this object, so the block must outlive the
    // destructor.
    const BufferRef block = std::move(block_);
    this->~ObjectBuffer();
  }

  BufferRef block_;
  // Makes the allocator count the bytes that the objects hold elsewhere. Is
  // null if they hold none.
  const BufferRef held_;
};

// Returns how many bytes one element takes in a buffer, or 0 if a tensor cannot
// have elements of this type.
size_t StorageSize(DType dtype) {
  if (IsRef(dtype)) return 0;
  size_t size = SizeOf(dtype);
  VisitDType(kObjects, dtype,
             [&](auto tag) { size = sizeof(typename decltype(tag)::type); });
  return size;
}

absl::Status NotAllocatable(absl::string_view problem, DType dtype,
                            const Shape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("Cannot allocate a tensor of ", Name(dtype),
                   shape.DebugString(), ": ", problem));
}

template <class T>
void AppendValue(const T& value, std::string* out) {
  if constexpr (std::is_same_v<T, std::string>) {
    absl::StrAppend(out, "\"", absl::CHexEscape(value), "\"");
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    absl::StrAppend(out, value.container, "/", value.name, "@", value.device);
  } else if constexpr (std::is_same_v<T, Variant>) {
    absl::StrAppend(out, value.value() == nullptr
                             ? "<empty>"
                             : value.value()->DebugString());
  } else if constexpr (std::is_same_v<T, bool>) {
    absl::StrAppend(out, value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    absl::StrAppend(out, "(", value.real(), ",", value.imag(), ")");
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    absl::StrAppend(out, static_cast<float>(value));
  } else if constexpr (sizeof(T) == 1) {
    absl::StrAppend(out, static_cast<int>(value));
  } else {
    absl::StrAppend(out, value);
  }
}

template <class T>
void AppendValues(const Tensor& tensor, int64_t count, std::string* out) {
  for (int64_t i = 0; i < count; ++i) {
    out->push_back(' ');
    AppendValue(tensor.data<T>()[i], out);
  }
}

// Appends the bytes of the elements in hexadecimal, for element types without a
// C++ type.
void AppendRawBytes(const Tensor& tensor, int64_t count, std::string* out) {
  const int64_t size = static_cast<int64_t>(SizeOf(tensor.dtype()));
  for (int64_t i = 0; i < count; ++i) {
    absl::StrAppend(out, " 0x",
                    absl::BytesToHexString(
                        absl::string_view(tensor.raw_data() + i * size, size)));
  }
}

bool SameObject(const std::string& a, const std::string& b) { return a == b; }
bool SameObject(const ResourceHandle& a, const ResourceHandle& b) {
  return a == b;
}
bool SameObject(const Variant& a, const Variant& b) {
  return a.value() == b.value();
}

}  // namespace

absl::StatusOr<Tensor> Tensor::Allocate(Allocator& allocator, DType dtype,
                                        const Shape& shape,
                                        int64_t held_bytes) {
  const size_t size = StorageSize(dtype);
  if (size == 0) {
    return NotAllocatable("no tensor has elements of this type", dtype, shape);
  }
  int64_t bytes;
  // The 64 bytes are for the header of an ObjectBuffer.
  if (__builtin_mul_overflow(shape.num_elements(), static_cast<int64_t>(size),
                             &bytes) ||
      bytes > INT64_MAX - 64) {
    return NotAllocatable("it has more than 2^63 - 1 bytes", dtype, shape);
  }
  BufferRef buffer;
  const bool is_object = VisitDType(kObjects, dtype, [&](auto tag) {
    buffer = ObjectBuffer<typename decltype(tag)::type>::New(
        allocator, static_cast<size_t>(shape.num_elements()), held_bytes);
  });
  if (!is_object) buffer = allocator.Allocate(static_cast<size_t>(bytes));
  if (buffer == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "Out of memory when allocating ", SaturatingAdd(bytes, held_bytes),
        " bytes for a tensor of ", Name(dtype), shape.DebugString(),
        " by allocator ", allocator.name()));
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.is_on_gpu_ = !buffer->memory().IsOfHost();
  tensor.shape_ = shape;
  tensor.data_ = buffer->data();
  tensor.buffer_ = std::move(buffer);
  return tensor;
}

Tensor Tensor::FromBuffer(DType dtype, const Shape& shape, BufferRef buffer,
                          char* data) {
  LEAT_CHECK(buffer != nullptr && !IsRef(dtype) && IsPlainBytes(dtype));
  const size_t size = SizeOf(dtype);
  // A complex number has the alignment of its parts.
  const size_t alignment = IsComplex(dtype) ? size / 2 : size;
  LEAT_CHECK(reinterpret_cast<uintptr_t>(data) % alignment == 0);
  LEAT_CHECK(data >= buffer->data() && data <= buffer->data() + buffer->size());
  const size_t room = buffer->data() + buffer->size() - data;
  LEAT_CHECK(static_cast<uint64_t>(shape.num_elements()) <= room / size);
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.is_on_gpu_ = !buffer->memory().IsOfHost();
  tensor.shape_ = shape;
  tensor.buffer_ = std::move(buffer);
  tensor.data_ = data;
  return tensor;
}

int64_t Tensor::num_bytes() const {
  return num_elements() * static_cast<int64_t>(StorageSize(dtype_));
}

int64_t Tensor::held_bytes() const {
  int64_t bytes = 0;
  VisitDType(kObjects, dtype_, [&](auto tag) {
    for (const auto& object : data<typename decltype(tag)::type>()) {
      bytes = SaturatingAdd(bytes, HeldBytes(object));
    }
  });
  return bytes;
}

Tensor Tensor::Slice(int64_t begin, int64_t end) const {
  LEAT_CHECK(rank() >= 1 && 0 <= begin && begin <= end && end <= dim(0));
  Tensor result = *this;
  absl::StatusOr<Shape> shape = WithDim(shape_, 0, end - begin);
  LEAT_CHECK(shape.ok());  // The shape is not larger than shape_.
  result.shape_ = *std::move(shape);
  if (begin > 0) result.data_ += num_bytes() / dim(0) * begin;
  return result;
}

absl::StatusOr<Tensor> Tensor::Reshaped(const Shape& shape) const {
  if (shape.num_elements() != num_elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot reshape a tensor with ", num_elements(),
                     " elements, ", shape_.DebugString(), ", to ",
                     shape.DebugString(), " with ", shape.num_elements()));
  }
  Tensor result = *this;
  result.shape_ = shape;
  return result;
}

absl::StatusOr<Tensor> Tensor::Copy(Allocator& allocator) const {
  if (!IsValid()) return Tensor();
  LEAT_ASSIGN_OR_RETURN(Tensor result,
                        Allocate(allocator, dtype_, shape_, held_bytes()));
  const bool is_object = VisitDType(kObjects, dtype_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::copy_n(data<T>().begin(), num_elements(),
                result.mutable_data<T>().begin());
  });
  if (is_on_gpu_ != result.is_on_gpu_) {
    return absl::InternalError(absl::StrCat(
        "a tensor in ", buffer_->memory().DebugString(),
        " cannot be copied to ", result.buffer_->memory().DebugString(),
        " without a copy node"));
  }
  if (!is_object) {
    allocator.CopyBytes(result.data_, data_, static_cast<size_t>(num_bytes()));
  }
  return result;
}

std::string Tensor::DebugString(int max_elements) const {
  std::string out = absl::StrCat(Name(dtype_), shape_.DebugString());
  if (!IsValid()) return Name(dtype_);
  if (is_on_gpu_) {
    return absl::StrCat(out, " in ", buffer_->memory().DebugString());
  }
  const int64_t count = std::min<int64_t>(max_elements, num_elements());
  const auto append = [&](auto tag) {
    AppendValues<typename decltype(tag)::type>(*this, count, &out);
  };
  if (!VisitDType(kPlain, dtype_, append) &&
      !VisitDType(kObjects, dtype_, append)) {
    AppendRawBytes(*this, count, &out);
  }
  if (count < num_elements()) out.append(" ...");
  return out;
}

absl::Status CheckScalar(const Tensor& tensor, absl::string_view what) {
  if (tensor.rank() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, " must be a scalar, got shape ", tensor.shape().DebugString()));
}

absl::StatusOr<Dims> GetIndices(const Tensor& tensor, absl::string_view what) {
  Dims values;
  const bool is_index = VisitDType(kSignedInts, tensor.dtype(), [&](auto tag) {
    const auto data = tensor.data<typename decltype(tag)::type>();
    values.assign(data.begin(), data.end());
  });
  if (!is_index || tensor.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " must be a scalar or vector of signed integers, not ",
        Name(tensor.dtype()), tensor.shape().DebugString()));
  }
  return values;
}

absl::StatusOr<Shape> GetShape(const Tensor& tensor, absl::string_view what) {
  if (tensor.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " must be a vector of {int32,int64}, got shape ",
                     tensor.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims dims, GetIndices(tensor, what));
  absl::StatusOr<Shape> shape = Shape::Create(dims);
  if (shape.ok()) return shape;
  return absl::Status(shape.status().code(),
                      absl::StrCat(what, ": ", shape.status().message()));
}

bool Identical(const Tensor& a, const Tensor& b) {
  LEAT_CHECK(!a.IsOnGpu() && !b.IsOnGpu());
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  bool equal = true;
  const bool is_object = VisitDType(kObjects, a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; equal && i < a.num_elements(); ++i) {
      equal = SameObject(a.data<T>()[i], b.data<T>()[i]);
    }
  });
  if (is_object || a.num_bytes() == 0) return equal;
  return std::memcmp(a.raw_data(), b.raw_data(),
                     static_cast<size_t>(a.num_bytes())) == 0;
}

namespace internal {

absl::Status ScalarError(const Tensor& tensor, DType wanted,
                         absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      what, " must be one ", Name(wanted), ", not ",
      tensor.IsValid()
          ? absl::StrCat(Name(tensor.dtype()), tensor.shape().DebugString())
          : "an empty tensor"));
}

Tensor AllocateOrDie(DType dtype, const Shape& shape) {
  absl::StatusOr<Tensor> tensor =
      Tensor::Allocate(SmallTensorAllocator(), dtype, shape);
  LEAT_CHECK(tensor.ok());
  return *std::move(tensor);
}

}  // namespace internal
}  // namespace leat
