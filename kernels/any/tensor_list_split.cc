// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TensorListFromTensor, TensorListSplit,
// TensorListScatterV2 and TensorListScatterIntoExistingList. The rows of a
// tensor become elements of a list and share the tensor's bytes.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::tensor_list_split {
namespace {

// Returns the shape of one row. Returns INVALID_ARGUMENT for a scalar.
absl::StatusOr<Shape> RowShape(const Tensor& tensor) {
  if (tensor.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor must be at least a vector, but saw shape: ",
                     tensor.shape().DebugString()));
  }
  return Shape::Create(tensor.shape().dims().subspan(1));
}

// Returns the shape of one row. Returns INVALID_ARGUMENT for a scalar, or if
// the row does not fit `element_shape`.
absl::StatusOr<Shape> RowShape(const Tensor& tensor,
                               const PartialShape& element_shape) {
  LEAT_ASSIGN_OR_RETURN(Shape row, RowShape(tensor));
  if (!element_shape.IsCompatibleWith(row)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Specified a list with shape ", element_shape.DebugString(),
        " from a tensor with shape ", row.DebugString()));
  }
  return row;
}

// Sets element `index` of the list to row `row` of `tensor`. `shape` is the
// row's shape.
absl::Status SetRow(const Tensor& tensor, int64_t row, const Shape& shape,
                    int64_t index, Allocator& memory, TensorList& list) {
  LEAT_ASSIGN_OR_RETURN(Tensor element, RowOf(tensor, row, shape));
  return list.Set(index, std::move(element), memory);
}

absl::Status FromTensor(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  LEAT_ASSIGN_OR_RETURN(PartialShape element_shape,
                        GetPartialShape(context.input(1)));
  LEAT_ASSIGN_OR_RETURN(const Shape row, RowShape(tensor, element_shape));
  if (tensor.dim(0) > TensorList::kMaxSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("A tensor of shape ", tensor.shape().DebugString(),
                     " has too many rows for a list"));
  }
  TensorList list(tensor.dtype(), std::move(element_shape));
  LEAT_RETURN_IF_ERROR(list.Reserve(tensor.dim(0), ListMemory(context)));
  list.Resize(tensor.dim(0));
  for (int64_t i = 0; i < tensor.dim(0); ++i) {
    LEAT_RETURN_IF_ERROR(SetRow(tensor, i, row, i, ListMemory(context), list));
  }
  return SetList(context, 0, std::move(list));
}

// Checks that each row of `tensor` fits `element_shape` without its first
// extent.
absl::Status CheckSplit(const Tensor& tensor,
                        const PartialShape& element_shape) {
  if (element_shape.rank_known() && element_shape.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("TensorListSplit requires element_shape to be at least of "
                     "rank 1, but saw: ",
                     element_shape.DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape row, RowShape(tensor));
  if (!element_shape.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const PartialShape wanted,
                        PartialShape::Create(element_shape.dims().subspan(1)));
  if (wanted.IsCompatibleWith(row)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "tensor shape ", tensor.shape().DebugString(),
      " is not compatible with element_shape ", element_shape.DebugString()));
}

absl::Status Split(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  LEAT_ASSIGN_OR_RETURN(PartialShape element_shape,
                        GetPartialShape(context.input(1)));
  LEAT_RETURN_IF_ERROR(CheckSplit(tensor, element_shape));
  if (context.input(2).rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected lengths to be a vector, received shape: ",
                     context.input(2).shape().DebugString()));
  }
  const auto lengths = context.input(2).data<int64_t>();
  TensorList list(tensor.dtype(), std::move(element_shape));
  LEAT_RETURN_IF_ERROR(
      list.Reserve(static_cast<int64_t>(lengths.size()), ListMemory(context)));
  int64_t start = 0;
  for (const int64_t length : lengths) {
    if (length < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid value in lengths: ", length));
    }
    if (length > tensor.dim(0) - start) {
      return absl::InvalidArgumentError(
          absl::StrCat("Attempting to slice ", length, " rows at ", start,
                       " from tensor with length ", tensor.dim(0)));
    }
    LEAT_RETURN_IF_ERROR(list.PushBack(tensor.Slice(start, start + length),
                                       ListMemory(context)));
    start += length;
  }
  if (start != tensor.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Unused values in tensor. Length of tensor: ", tensor.dim(0),
        " Values used: ", start));
  }
  return SetList(context, 0, std::move(list));
}

// Sets element indices[i] of the list to row i of `tensor` for all i. The list
// grows if it is too short. REQUIRES: there are as many indices as rows.
absl::Status ScatterRows(const Tensor& tensor,
                         absl::Span<const int32_t> indices, const Shape& row,
                         Allocator& memory, TensorList& list) {
  int64_t size = list.size();
  for (const int32_t index : indices) {
    if (index < 0 || index >= TensorList::kMaxSize) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Indices in TensorListScatter must all be non-negative, got ",
          index));
    }
    size = std::max(size, int64_t{index} + 1);
  }
  list.Resize(size);
  for (size_t i = 0; i < indices.size(); ++i) {
    LEAT_RETURN_IF_ERROR(
        SetRow(tensor, static_cast<int64_t>(i), row, indices[i], memory, list));
  }
  return absl::OkStatus();
}

absl::Status Scatter(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  const auto indices = context.input(1).data<int32_t>();
  LEAT_ASSIGN_OR_RETURN(PartialShape element_shape,
                        GetPartialShape(context.input(2)));
  LEAT_RETURN_IF_ERROR(CheckScalar(context.input(3), "num_elements"));
  LEAT_ASSIGN_OR_RETURN(const int32_t num_elements,
                        GetInt(context, 3, "num_elements"));
  if (num_elements < -1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TensorListScatter expects num_elements >= -1, found: ", num_elements));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape row, RowShape(tensor, element_shape));
  if (static_cast<int64_t>(indices.size()) != tensor.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Invalid number of rows in input tensor. Expected: ", indices.size(),
        " Actual: ", tensor.dim(0)));
  }
  TensorList list(tensor.dtype(), std::move(element_shape));
  if (num_elements != -1) {
    for (const int32_t index : indices) {
      if (index < num_elements) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("TensorListScatter: Trying to scatter at index ", index,
                       " in list with size ", num_elements));
    }
    list.Resize(num_elements);
  }
  LEAT_RETURN_IF_ERROR(
      ScatterRows(tensor, indices, row, ListMemory(context), list));
  return SetList(context, 0, std::move(list));
}

absl::Status ScatterIntoList(KernelContext& context) {
  const Tensor& tensor = context.input(1);
  const Tensor& indices = context.input(2);
  LEAT_ASSIGN_OR_RETURN(const TensorList* input, GetList(context, 0));
  if (input->element_dtype() != tensor.dtype()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Invalid data types; input tensor type: ", Name(tensor.dtype()),
        " list element_type: ", Name(input->element_dtype())));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape row, RowShape(tensor));
  if (indices.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected indices to be a vector, but received shape: ",
                     indices.shape().DebugString()));
  }
  if (indices.num_elements() != tensor.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected len(indices) == tensor.shape[0], but saw: ",
                     indices.num_elements(), " vs. ", tensor.dim(0)));
  }
  LEAT_ASSIGN_OR_RETURN(TensorList * list, ForwardOrCopyList(context, 0, 0));
  return ScatterRows(tensor, indices.data<int32_t>(), row, ListMemory(context),
                     *list);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("TensorListFromTensor", &MakeFunction<&FromTensor>);
  registry.AddForAllDevices("TensorListSplit", &MakeFunction<&Split>);
  registry.AddForAllDevices("TensorListScatterV2", &MakeFunction<&Scatter>);
  registry.AddForAllDevices("TensorListScatterIntoExistingList",
                            &MakeFunction<&ScatterIntoList>);
}

}  // namespace leat::kernels::any::tensor_list_split
