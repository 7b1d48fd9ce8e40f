// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TensorArray is an array of tensors of one dtype that the loops of TensorFlow
// 1.x fill and read while they run. It is the resource behind TensorFlow's
// TensorArrayV3, and lives until its step ends. The iterations of a loop may
// write different elements at the same time.
//
// The gradient of a loop reads and writes a second array, which belongs to the
// first: its element i is the gradient of element i. Such a gradient array adds
// up what is written to the same element.
//
//   TensorArray array({.name = "states", .dtype = DType::kFloat, .size = 2});
//   LEAT_RETURN_IF_ERROR(array.Write(1, state, allocator, queue));
//   LEAT_ASSIGN_OR_RETURN(const auto read, array.Read(1, allocator));
#ifndef LEAT_KERNELS_ARRAYS_TENSOR_ARRAY_H_
#define LEAT_KERNELS_ARRAYS_TENSOR_ARRAY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/element_array.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/kernels/arrays/step_resource.h"

namespace leat::kernels {

// Holds the options of a TensorArray. Is a value type.
struct TensorArrayOptions {
  std::string name = {};  // for messages
  DType dtype = DType::kFloat;
  int64_t size = 0;
  bool is_dynamic = false;            // grows when an element behind is written
  bool clears_after_read = true;      // each element can be read once
  bool has_identical_shapes = false;  // all elements have the same shape
  PartialShape element_shape = {};    // all elements must fit this shape
  bool is_gradient = false;           // adds up what is written
};

// Is thread-safe. The array shares the bytes of its elements. The allocators
// and queues that are passed to the methods are borrowed; the allocators must
// outlive the array.
//
// The elements up to the last one that was touched take memory, the others do
// not. A method that needs memory for elements fails with RESOURCE_EXHAUSTED
// if they would be more than kMaxElementArraySize, or if the allocator has no
// memory. After Close all methods but Close fail with INVALID_ARGUMENT. Texts
// of errors are TensorFlow's.
class TensorArray final : public StepResource {
 public:
  static constexpr char kTypeName[] = "N10tensorflow11TensorArrayE";
  // The element shape may be long.
  static constexpr int64_t kMostBytes = 1024 + 2 * 8 * Shape::kMaxRank;

  // An element that was read. If `value` is Tensor(), the element stands for
  // zeros.
  struct Element {
    const Shape& shape() const {
      return value.IsValid() ? value.shape() : shape_without_value;
    }

    Tensor value = {};
    Shape shape_without_value = {};
    BufferRef shape_memory = {};  // counts a long shape
  };

  explicit TensorArray(TensorArrayOptions options);

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  bool is_gradient() const { return is_gradient_; }

  absl::StatusOr<int64_t> Size() const;

  // Writes element `index`. A gradient array adds `value` to what was written
  // before. Returns INVALID_ARGUMENT if `index` is out of range, if the shape
  // does not fit, or if the element has been read or, unless this is a gradient
  // array, written. REQUIRES: value.dtype() == dtype().
  absl::Status Write(int64_t index, Tensor value, Allocator& allocator,
                     WorkQueue& queue);

  // Returns element `index`. Returns INVALID_ARGUMENT if `index` is out of
  // range, if the element has been read already and is cleared by that, if it
  // was never written and its shape is not known, or if it stands for zeros but
  // the dtype has none.
  absl::StatusOr<Element> Read(int64_t index, Allocator& allocator);

  // Returns the elements at these indices, in this order. The array that is
  // returned takes its memory from `allocator`, too. Fails as Read does.
  absl::StatusOr<ElementArray<Element>> ReadMany(
      absl::Span<const int32_t> indices, Allocator& allocator);
  // Returns all elements. A gradient array returns only as many as BeginSplit
  // has announced for the array that it belongs to, if it has.
  absl::StatusOr<ElementArray<Element>> ReadAll(Allocator& allocator);

  // Merges `shape` with the shape that all elements must fit. Returns
  // INVALID_ARGUMENT if the two contradict each other.
  absl::Status MergeElementShape(const PartialShape& shape);

  // Returns INVALID_ARGUMENT if the largest index of a TensorArrayScatter is
  // behind the end of an array that does not grow.
  absl::Status CheckScatter(int64_t max_index) const;
  // Announces that a tensor will be written as `num_parts` elements. Returns
  // INVALID_ARGUMENT if the array has another size and cannot grow to this one.
  absl::Status BeginSplit(int64_t num_parts);

  // Returns a new gradient array of this array, with the same size. An element
  // that is written here counts as written there, and stands for zeros of its
  // shape. The shapes of the new array begin with the extents of `prepended`.
  // After the call, this array does not grow any more.
  absl::StatusOr<std::shared_ptr<TensorArray>> NewGradient(
      std::string name, const Shape& prepended, Allocator& allocator);

  // Drops all elements. Does nothing if the array is closed.
  void Close();

  std::string DebugString() const override;

 private:
  // Is what the array knows of one element.
  struct Slot {
    Element element = {};  // if it was written; has no value if it was cleared
    bool is_written = false;
    bool is_read = false;
  };

  // Returns INVALID_ARGUMENT with the text "TensorArray NAME" + `problem`.
  absl::Status Refusal(absl::string_view problem) const;
  absl::Status CheckOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckWrite(int64_t index, const Shape& shape) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the slot an element without value, of the shape `shape`.
  static absl::Status SetShape(Slot& slot, Shape shape, Allocator& allocator);
  // Adds `value` to the value of element `index`.
  absl::Status Add(int64_t index, const Tensor& value, Allocator& allocator,
                   WorkQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does what Read does.
  absl::StatusOr<Element> Take(int64_t index, Allocator& allocator)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const DType dtype_;
  const bool clears_after_read_;
  const bool has_identical_shapes_;
  const bool is_gradient_;
  mutable Mutex mutex_;
  int64_t size_ ABSL_GUARDED_BY(mutex_);
  bool is_dynamic_ ABSL_GUARDED_BY(mutex_);
  PartialShape element_shape_ ABSL_GUARDED_BY(mutex_);
  // Is the number of parts of the last BeginSplit, or 0 if there was none.
  int64_t num_parts_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Holds the slots of the first elements, at most size_ of them. The elements
  // behind them were never written.
  ElementArray<Slot> slots_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ARRAYS_TENSOR_ARRAY_H_
