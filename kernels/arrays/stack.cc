// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/arrays/stack.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

Stack::Stack(std::string name, DType dtype, int64_t max_size)
    : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}

absl::Status Stack::Refusal(absl::string_view problem) const {
  return absl::InvalidArgumentError(
      absl::StrCat("Stack[", name_, "]", problem));
}

absl::Status Stack::CheckOpen() const {
  return is_closed_ ? Refusal(" has already been closed.") : absl::OkStatus();
}

absl::Status Stack::Push(Tensor element, Allocator& allocator) {
  if (element.dtype() != dtype_) {
    return absl::InvalidArgumentError(
        absl::StrCat("Must have type ", static_cast<int>(dtype_), " but got ",
                     static_cast<int>(element.dtype())));
  }
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = elements_.size();
  if (max_size_ >= 0 && size >= max_size_) {
    return Refusal(absl::StrCat(" overflowed its max_size (", max_size_, ")"));
  }
  LEAT_ASSIGN_OR_RETURN(BufferRef shape_memory,
                        CountLongShape(element.rank(), allocator));
  LEAT_RETURN_IF_ERROR(elements_.Grow(size + 1, allocator));
  elements_[size] = {std::move(element), std::move(shape_memory)};
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Stack::Pop(DType dtype) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = elements_.size();
  if (size == 0) return Refusal(" is empty when calling Pop().");
  if (dtype != dtype_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Type mismatch: actual ", Name(dtype_), " vs. expect ", Name(dtype)));
  }
  Tensor element = std::move(elements_[size - 1].value);
  elements_.Shrink(size - 1);
  return element;
}

void Stack::Close() {
  // Is declared before the lock, so that the elements are destroyed after the
  // lock is released.
  ElementArray<Element> dropped;
  MutexLock lock(mutex_);
  is_closed_ = true;
  std::swap(dropped, elements_);
}

std::string Stack::DebugString() const {
  MutexLock lock(mutex_);
  return absl::StrCat("Stack ", name_, " of ", elements_.size(), " ",
                      Name(dtype_));
}

}  // namespace leat::kernels
