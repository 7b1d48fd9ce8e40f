// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ElementArray is an array that grows and takes its memory from an Allocator,
// so that the memory counts towards the limit of a device. Lists of tensors and
// TensorArrays keep their elements in it. A graph decides how long they get, so
// a failed allocation is an error and not the end of the process.
//
//   ElementArray<Tensor> elements;
//   LEAT_RETURN_IF_ERROR(elements.Grow(3, allocator));
//   elements[2] = Tensor::Scalar(1.f);
#ifndef LEAT_CORE_ELEMENT_ARRAY_H_
#define LEAT_CORE_ELEMENT_ARRAY_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/buffer.h"

namespace leat {

// Is the longest ElementArray of any type.
inline constexpr int64_t kMaxElementArraySize = int64_t{1} << 24;

// T must be default-constructible and movable. The allocators that are passed
// to the methods are borrowed and must outlive the array. An ElementArray is
// thread-compatible.
template <class T>
class ElementArray {
 public:
  ElementArray() = default;
  // An ElementArray that was moved from is empty.
  ElementArray(ElementArray&& other) noexcept { *this = std::move(other); }
  ElementArray& operator=(ElementArray&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    elements_ = std::move(other.elements_);
    return *this;
  }

  int64_t size() const { return size_; }
  // REQUIRES: 0 <= i < size().
  T& operator[](int64_t i) { return elements_[i]; }
  const T& operator[](int64_t i) const { return elements_[i]; }
  absl::Span<const T> span() const {
    return absl::MakeConstSpan(elements_.get(), static_cast<size_t>(size_));
  }

  // Adds elements T() at the end, so that the array has at least `size`
  // elements. Returns RESOURCE_EXHAUSTED if that is more than
  // kMaxElementArraySize, or if there is no memory.
  absl::Status Grow(int64_t size, Allocator& allocator) {
    if (size <= size_) return absl::OkStatus();
    if (absl::Status status = Reserve(size, allocator); !status.ok()) {
      return status;
    }
    size_ = size;
    return absl::OkStatus();
  }

  // Allocates memory for `size` elements, so that Grow need not allocate up to
  // this size. Fails as Grow does.
  absl::Status Reserve(int64_t size, Allocator& allocator) {
    if (size <= capacity_) return absl::OkStatus();
    const int64_t capacity = std::min(std::max(size, 2 * capacity_),
                                      std::max(size, kMaxElementArraySize));
    BufferRef bytes;
    if (size <= kMaxElementArraySize) {
      bytes = allocator.Allocate(static_cast<size_t>(capacity) * sizeof(T));
    }
    if (bytes == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "There cannot be ", size,
          " elements: they are more than the limit of ", kMaxElementArraySize,
          ", or the memory of '", allocator.name(), "' has no room for ",
          sizeof(T), " bytes for each"));
    }
    static_assert(alignof(T) <= kBufferAlignment);
    T* const grown = reinterpret_cast<T*>(bytes->data());
    std::uninitialized_value_construct_n(grown, capacity);
    std::move(elements_.get(), elements_.get() + size_, grown);
    elements_ = std::unique_ptr<T[], DestroyElements>(
        grown, DestroyElements(std::move(bytes), capacity));
    capacity_ = capacity;
    return absl::OkStatus();
  }

  // Removes elements at the end, so that the array has at most `size` elements.
  void Shrink(int64_t size) {
    for (int64_t i = size; i < size_; ++i) elements_[i] = T();
    size_ = std::min(size_, size);
  }

 private:
  // Is the deleter of the array. It destroys the elements. The array's bytes
  // return to their allocator when the deleter itself is destroyed.
  struct DestroyElements {
    DestroyElements() : count(0) {}
    DestroyElements(BufferRef from, int64_t size)
        : bytes(std::move(from)), count(size) {}
    void operator()(T* elements) const { std::destroy_n(elements, count); }

    BufferRef bytes;
    int64_t count;
  };

  int64_t size_ = 0;
  int64_t capacity_ = 0;  // the length of elements_
  // The first size_ elements are those of the array. The rest are T().
  std::unique_ptr<T[], DestroyElements> elements_;
};

}  // namespace leat

#endif  // LEAT_CORE_ELEMENT_ARRAY_H_
