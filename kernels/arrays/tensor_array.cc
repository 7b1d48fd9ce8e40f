// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/arrays/tensor_array.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/shape_functions.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {

TensorArray::TensorArray(TensorArrayOptions options)
    : name_(std::move(options.name)),
      dtype_(options.dtype),
      clears_after_read_(options.clears_after_read),
      has_identical_shapes_(options.has_identical_shapes),
      is_gradient_(options.is_gradient),
      size_(options.size),
      is_dynamic_(options.is_dynamic),
      element_shape_(std::move(options.element_shape)) {}

absl::Status TensorArray::Refusal(absl::string_view problem) const {
  return absl::InvalidArgumentError(
      absl::StrCat("TensorArray ", name_, problem));
}

absl::Status TensorArray::CheckOpen() const {
  return is_closed_ ? Refusal(" has already been closed.") : absl::OkStatus();
}

absl::StatusOr<int64_t> TensorArray::Size() const {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  return size_;
}

absl::Status TensorArray::CheckWrite(int64_t index, const Shape& shape) const {
  LEAT_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || (index >= size_ && !is_dynamic_)) {
    return Refusal(
        absl::StrCat(": Tried to write to index ", index,
                     " but array is not resizeable and size is: ", size_));
  }
  const auto refuse = [&](absl::string_view reason) {
    return Refusal(absl::StrCat(": Could not write to TensorArray index ",
                                index, " because ", reason));
  };
  if (!element_shape_.IsCompatibleWith(shape)) {
    return refuse(absl::StrCat(
        "the value shape is ", shape.DebugString(),
        " which is incompatible with the TensorArray's inferred element "
        "shape: ",
        element_shape_.DebugString(),
        " (consider setting infer_shape=False)."));
  }
  if (index >= slots_.size()) return absl::OkStatus();
  if (slots_[index].is_read) return refuse("it has already been read.");
  if (slots_[index].is_written && !is_gradient_) {
    return refuse("it has already been written to.");
  }
  return absl::OkStatus();
}

absl::Status TensorArray::Write(int64_t index, Tensor value,
                                Allocator& allocator, WorkQueue& queue) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckWrite(index, value.shape()));
  LEAT_RETURN_IF_ERROR(slots_.Grow(index + 1, allocator));
  Slot& slot = slots_[index];
  if (slot.is_written) return Add(index, value, allocator, queue);
  LEAT_ASSIGN_OR_RETURN(slot.element.shape_memory,
                        CountLongShape(value.rank(), allocator));
  if (has_identical_shapes_) element_shape_ = value.shape();
  size_ = std::max(size_, index + 1);
  slot.element.value = std::move(value);
  slot.is_written = true;
  return absl::OkStatus();
}

absl::Status TensorArray::SetShape(Slot& slot, Shape shape,
                                   Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(slot.element.shape_memory,
                        CountLongShape(shape.rank(), allocator));
  slot.element.shape_without_value = std::move(shape);
  slot.is_written = true;
  return absl::OkStatus();
}

absl::Status TensorArray::Add(int64_t index, const Tensor& value,
                              Allocator& allocator, WorkQueue& queue) {
  Element& element = slots_[index].element;
  if (element.shape() != value.shape()) {
    return Refusal(absl::StrCat(
        ": Could not aggregate to TensorArray index ", index,
        " because the existing shape is ", element.shape().DebugString(),
        " but the new input shape is ", value.shape().DebugString(), "."));
  }
  if (!element.value.IsValid() || value.num_elements() == 0) {
    element.value = value;
    return absl::OkStatus();
  }
  if (!kNumbersAndComplexes.Contains(dtype_)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor_array::AddToTensor type not supported: ", Name(dtype_)));
  }
  if (!element.value.IsUnique()) {
    LEAT_ASSIGN_OR_RETURN(element.value, element.value.Copy(allocator));
  }
  return AccumulateInto(queue, Accumulate::kAdd, value, element.value);
}

absl::StatusOr<TensorArray::Element> TensorArray::Read(int64_t index,
                                                       Allocator& allocator) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  return Take(index, allocator);
}

absl::StatusOr<TensorArray::Element> TensorArray::Take(int64_t index,
                                                       Allocator& allocator) {
  if (index < 0 || index >= size_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Tried to read from index ", index, " but array size is: ", size_));
  }
  LEAT_RETURN_IF_ERROR(slots_.Grow(index + 1, allocator));
  Slot& slot = slots_[index];
  if (slot.is_read && clears_after_read_) {
    return Refusal(absl::StrCat(
        ": Could not read index ", index,
        " twice because it was cleared after a previous read (perhaps try "
        "setting clear_after_read = false?)."));
  }
  if (!slot.is_written) {
    if (!element_shape_.IsFullyKnown()) {
      return Refusal(absl::StrCat(
          ": Could not read from TensorArray index ", index,
          ".  Furthermore, the element shape is not fully defined: ",
          element_shape_.DebugString(),
          ".  It is possible you are working with a resizeable TensorArray and "
          "stop_gradients is not allowing the gradients to be written.  If you "
          "set the full element_shape property on the forward TensorArray, the "
          "proper all-zeros tensor will be returned instead of incurring this "
          "error."));
    }
    LEAT_ASSIGN_OR_RETURN(Shape shape, element_shape_.ToShape());
    LEAT_RETURN_IF_ERROR(SetShape(slot, std::move(shape), allocator));
  }
  if (!slot.element.value.IsValid() && !IsPlainBytes(dtype_)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor_array::TensorSetZero type not supported: ", Name(dtype_)));
  }
  Element element = slot.element;
  LEAT_ASSIGN_OR_RETURN(element.shape_memory,
                        CountLongShape(element.shape().rank(), allocator));
  slot.is_read = true;
  if (clears_after_read_) {
    // A gradient array that is made later needs the shape.
    slot.element.shape_without_value = element.shape();
    slot.element.value.Reset();
  }
  return element;
}

absl::StatusOr<ElementArray<TensorArray::Element>> TensorArray::ReadMany(
    absl::Span<const int32_t> indices, Allocator& allocator) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  ElementArray<Element> elements;
  LEAT_RETURN_IF_ERROR(
      elements.Grow(static_cast<int64_t>(indices.size()), allocator));
  for (size_t i = 0; i < indices.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(elements[static_cast<int64_t>(i)],
                          Take(indices[i], allocator));
  }
  return elements;
}

absl::StatusOr<ElementArray<TensorArray::Element>> TensorArray::ReadAll(
    Allocator& allocator) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  const int64_t count = is_gradient_ && num_parts_ > 0 ? num_parts_ : size_;
  ElementArray<Element> elements;
  LEAT_RETURN_IF_ERROR(elements.Grow(count, allocator));
  for (int64_t i = 0; i < count; ++i) {
    LEAT_ASSIGN_OR_RETURN(elements[i], Take(i, allocator));
  }
  return elements;
}

absl::Status TensorArray::MergeElementShape(const PartialShape& shape) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  LEAT_ASSIGN_OR_RETURN(element_shape_, Merge(element_shape_, shape));
  return absl::OkStatus();
}

absl::Status TensorArray::CheckScatter(int64_t max_index) const {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  if (is_dynamic_ || max_index < size_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Max scatter index must be < array size (", max_index,
                   " vs. ", size_, ")"));
}

absl::Status TensorArray::BeginSplit(int64_t num_parts) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  if (size_ != num_parts && !(is_dynamic_ && size_ < num_parts)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TensorArray's size is not equal to the size of lengths (", size_,
        " vs. ", num_parts,
        "), and the TensorArray is not marked as dynamically resizeable"));
  }
  if (!is_gradient_) num_parts_ = num_parts;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<TensorArray>> TensorArray::NewGradient(
    std::string name, const Shape& prepended, Allocator& allocator) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckOpen());
  is_dynamic_ = false;
  LEAT_ASSIGN_OR_RETURN(PartialShape element_shape,
                        ConcatenateShapes(prepended, element_shape_));
  auto gradient = std::make_shared<TensorArray>(
      TensorArrayOptions{.name = std::move(name),
                         .dtype = dtype_,
                         .size = size_,
                         .has_identical_shapes = has_identical_shapes_,
                         .element_shape = std::move(element_shape),
                         .is_gradient = true});
  MutexLock gradient_lock(gradient->mutex_);
  gradient->num_parts_ = num_parts_;
  LEAT_RETURN_IF_ERROR(gradient->slots_.Grow(slots_.size(), allocator));
  for (int64_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.is_written) continue;
    LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                          ConcatenateShapes(prepended, slot.element.shape()));
    LEAT_ASSIGN_OR_RETURN(Shape of_gradient, shape.ToShape());
    LEAT_RETURN_IF_ERROR(
        SetShape(gradient->slots_[i], std::move(of_gradient), allocator));
  }
  return gradient;
}

void TensorArray::Close() {
  // Is declared before the lock, so that the elements are destroyed after the
  // lock is released.
  ElementArray<Slot> dropped;
  MutexLock lock(mutex_);
  is_closed_ = true;
  std::swap(dropped, slots_);
}

std::string TensorArray::DebugString() const {
  MutexLock lock(mutex_);
  return absl::StrCat("TensorArray ", name_, " of ", size_, " ", Name(dtype_),
                      element_shape_.DebugString());
}

}  // namespace leat::kernels
