// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TensorList is a variant that holds a list of tensors of one dtype, whose
// shapes all fit one partial shape. TensorFlow's TensorList* ops work on it.
// The gradients of loops use TensorLists as stacks.
//
//   TensorList list(DType::kFloat, PartialShape{2});
//   LEAT_RETURN_IF_ERROR(list.PushBack(Tensor::Vector<float>({1, 2})));
//   list.at(0).data<float>()[1];  // 2
#ifndef LEAT_CORE_VARIANTS_TENSOR_LIST_H_
#define LEAT_CORE_VARIANTS_TENSOR_LIST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/buffer.h"
#include "leat/core/element_array.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"

namespace leat {

// A TensorList is a list whose elements may be written in any order. An element
// that was never written is Tensor() (TensorFlow calls it "uninitialized").
// Elements after the last written one take no memory.
//
// Sizes, dtypes and shapes may come from a graph. So the methods check them,
// and return a Status if there is no memory. When the array of elements grows,
// it comes from the allocator that is passed to the call. Kernels pass the
// allocator of their device, so the array counts towards the limit of the
// device. The allocator is borrowed and must outlive the list. The list shares
// the bytes of its elements. A TensorList is thread-compatible.
class TensorList final : public VariantValue {
 public:
  // Limits the number of elements of a list. An index is an int32.
  static constexpr int64_t kMaxSize = INT32_MAX;
  // Limits the length of the array of elements. The array reaches at least to
  // the last written element, and takes sizeof(Tensor) bytes per element. A
  // call that needs a longer array fails with RESOURCE_EXHAUSTED, as if the
  // allocator had no memory.
  static constexpr int64_t kMaxStored = kMaxElementArraySize;

  // Makes an empty list. PushBack refuses to make it longer than
  // `max_num_elements`. A negative number, such as -1, means that there is no
  // limit.
  TensorList(DType element_dtype, PartialShape element_shape,
             int64_t max_num_elements = -1);
  TensorList(TensorList&&) = default;
  TensorList& operator=(TensorList&&) = default;

  // Returns a list with the same elements, which share their bytes. Returns
  // RESOURCE_EXHAUSTED if there is no memory for the array.
  absl::StatusOr<TensorList> Copy(Allocator& allocator = HostAllocator()) const;

  DType element_dtype() const { return dtype_; }
  const PartialShape& element_shape() const { return shape_; }
  int64_t max_num_elements() const { return max_num_elements_; }

  int64_t size() const { return size_; }
  // Returns element `i`, or Tensor() if it was never written.
  // REQUIRES: 0 <= i < size().
  const Tensor& at(int64_t i) const {
    return i < stored_.size() ? stored_[i] : none_;
  }
  // Returns the stored elements. They reach from the first element to at least
  // the last written one. All later elements are Tensor().
  absl::Span<const Tensor> stored() const { return stored_.span(); }

  // Returns INVALID_ARGUMENT with TensorFlow's text if `op_dtype` is not the
  // element dtype.
  absl::Status CheckDType(DType op_dtype) const;

  // Writes element `i`. If `element` is Tensor(), element `i` counts as never
  // written. Returns INVALID_ARGUMENT if dtype or shape do not fit the list or
  // if variants would be nested deeper than kMaxVariantDepth, and
  // RESOURCE_EXHAUSTED if there is no memory. REQUIRES: 0 <= i < size().
  absl::Status Set(int64_t i, Tensor element,
                   Allocator& allocator = HostAllocator());
  // Adds an element at the end. Fails as Set does. Also returns
  // INVALID_ARGUMENT if the list has max_num_elements() elements already, and
  // RESOURCE_EXHAUSTED if it has kMaxSize.
  absl::Status PushBack(Tensor element, Allocator& allocator = HostAllocator());
  // Removes the last element. REQUIRES: size() > 0.
  void PopBack();
  // Removes elements at the end, or adds elements that count as never written.
  // REQUIRES: 0 <= size <= kMaxSize.
  void Resize(int64_t size);
  // Allocates memory for `size` elements now, so that later calls need not
  // allocate. Returns RESOURCE_EXHAUSTED if there is no memory.
  absl::Status Reserve(int64_t size, Allocator& allocator = HostAllocator());

  absl::string_view type_name() const override;
  std::string DebugString() const override;
  int depth() const override { return depth_; }
  // Encodes as TensorFlow 2.15 does. The tensors are the written elements. The
  // metadata is a sequence of varints and then the element shape as a
  // TensorShapeProto. The varints are the number of elements that were never
  // written, their ascending indices, the dtype, and max_num_elements().
  // Returns INVALID_ARGUMENT if the metadata would be too large for a message.
  absl::StatusOr<VariantData> Encode() const override;
  // Decodes what Encode has written. Returns INVALID_ARGUMENT if Encode cannot
  // have written `data`.
  static absl::StatusOr<Variant> Decode(VariantData data);

 private:
  // Returns INVALID_ARGUMENT if `element` does not fit the list. If its shape
  // does not fit, the error message begins with `refusal`.
  absl::Status CheckFits(const Tensor& element,
                         absl::string_view refusal) const;
  // Sets element `i` without checks. If necessary, first extends the stored
  // elements to include element `i`.
  absl::Status Write(int64_t i, Tensor element, Allocator& allocator);
  DType dtype_;
  PartialShape shape_;
  int64_t max_num_elements_;
  int64_t size_ = 0;
  ElementArray<Tensor> stored_;  // at most size_ elements
  Tensor none_;                  // always Tensor(); at() returns it
  int depth_ = 1;  // 1 more than the deepest variant that was ever written
};

}  // namespace leat

#endif  // LEAT_CORE_VARIANTS_TENSOR_LIST_H_
