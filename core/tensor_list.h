// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TensorList: a variant that holds tensors of one dtype, whose shapes fit a
// partial one: what TensorFlow's TensorList* ops work on.
//
// An element that nothing was written to is no tensor (TensorFlow's
// "uninitialized"); those behind the last one written take no memory. Sizes,
// dtypes and shapes may come from a graph: they are checked, and memory that
// is not to be had is a Status. The array of elements is from the allocator of
// the call that made it grow: kernels pass their device's, whose limit counts
// it then, and which outlives the list. Thread-compatible.
#ifndef LEAT_CORE_TENSOR_LIST_H_
#define LEAT_CORE_TENSOR_LIST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/buffer.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"

namespace leat {

class TensorList final : public VariantValue {
 public:
  // An index is an int32.
  static constexpr int64_t kMaxSize = INT32_MAX;
  // Elements up to the last one written, each sizeof(Tensor) bytes beside its
  // own; more are RESOURCE_EXHAUSTED, as is what the allocator refuses.
  static constexpr int64_t kMaxStored = int64_t{1} << 24;

  // Empty. PushBack refuses more than `max_num_elements` elements; -1: no
  // limit of its own.
  TensorList(DType element_dtype, PartialShape element_shape,
             int64_t max_num_elements = -1);
  TensorList(TensorList&&) = default;
  TensorList& operator=(TensorList&&) = default;

  // The same elements, sharing their bytes.
  absl::StatusOr<TensorList> Copy(Allocator& allocator = HostAllocator()) const;

  DType element_dtype() const { return dtype_; }
  const PartialShape& element_shape() const { return shape_; }
  int64_t max_num_elements() const { return max_num_elements_; }

  int64_t size() const { return size_; }
  // Tensor() for an element not written. REQUIRES: 0 <= i < size().
  const Tensor& at(int64_t i) const {
    return i < stored_ ? elements_[i] : none_;
  }
  // The first elements, all that are written among them.
  absl::Span<const Tensor> stored() const {
    return absl::MakeConstSpan(elements_.get(), static_cast<size_t>(stored_));
  }

  // INVALID_ARGUMENT with TensorFlow's text unless the dtype is the list's.
  absl::Status CheckDType(DType op_dtype) const;

  // Writes an element; Tensor() makes it one that is not written.
  // INVALID_ARGUMENT when dtype or shape do not fit or variants stand too deep;
  // RESOURCE_EXHAUSTED when there is no memory. REQUIRES: 0 <= i < size().
  absl::Status Set(int64_t i, Tensor element,
                   Allocator& allocator = HostAllocator());
  // Adds an element at the end; also INVALID_ARGUMENT when the list is full.
  absl::Status PushBack(Tensor element, Allocator& allocator = HostAllocator());
  // Removes the last one. REQUIRES: size() > 0.
  void PopBack();
  // Drops elements at the end, or adds some that are not written.
  // REQUIRES: 0 <= size <= kMaxSize.
  void Resize(int64_t size);
  // Room for so many elements, lest the list grow by steps.
  absl::Status Reserve(int64_t size, Allocator& allocator = HostAllocator());

  absl::string_view type_name() const override;
  std::string DebugString() const override;
  int depth() const override { return depth_; }
  // As TensorFlow 2.15 does: the tensors that are written, and as metadata
  // varints (how many are not and which ones, dtype, maximal number), then the
  // element shape as a TensorShapeProto. INVALID_ARGUMENT when it takes more
  // bytes than a message holds.
  absl::StatusOr<VariantData> Encode() const override;
  static absl::StatusOr<Variant> Decode(VariantData data);

 private:
  // `refusal` is how the message about a shape begins.
  absl::Status CheckFits(const Tensor& element,
                         absl::string_view refusal) const;
  absl::Status Write(int64_t i, Tensor element, Allocator& allocator);
  // Makes [0, size) stored.
  absl::Status Store(int64_t size, Allocator& allocator);

  // Destroys the tensors, then gives their bytes back.
  struct DestroyElements {
    DestroyElements() : count(0) {}
    DestroyElements(BufferRef from, int64_t size)
        : bytes(std::move(from)), count(size) {}
    void operator()(Tensor* elements) const { std::destroy_n(elements, count); }

    BufferRef bytes;
    int64_t count;
  };

  DType dtype_;
  PartialShape shape_;
  int64_t max_num_elements_;
  int64_t size_ = 0;
  int64_t stored_ = 0;  // at most size_; elements_ behind it are Tensor()
  int64_t capacity_ = 0;
  std::unique_ptr<Tensor[], DestroyElements> elements_;
  Tensor none_;    // Tensor()
  int depth_ = 1;  // of all elements that there ever were
};

}  // namespace leat

#endif  // LEAT_CORE_TENSOR_LIST_H_
