// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the TensorArray ops that read or write many elements:
// TensorArrayGatherV3, -ScatterV3, -ConcatV3 and -SplitV3. Rows of a tensor
// become elements that share the tensor's bytes.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/arrays/tensor_array_access.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::tensor_array_elements {
namespace {

using Elements = ElementArray<TensorArray::Element>;

// Returns INVALID_ARGUMENT with the text `expected` + the shape of the tensor,
// if the tensor is not a vector.
absl::Status CheckVector(const Tensor& tensor, absl::string_view expected) {
  if (tensor.rank() == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(expected, tensor.shape().DebugString()));
}

absl::StatusOr<Shape> WithoutRows(const Shape& shape) {
  return Shape::Create(shape.dims().subspan(1));
}

class Gather final : public Kernel {
 public:
  explicit Gather(PartialShape element_shape)
      : element_shape_(std::move(element_shape)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                          ArrayToRead(context));
    LEAT_RETURN_IF_ERROR(array->MergeElementShape(element_shape_));
    const Tensor& indices = context.input(1);
    LEAT_RETURN_IF_ERROR(CheckVector(
        indices, "Expected indices to be a vector, but received shape: "));
    LEAT_ASSIGN_OR_RETURN(
        const Elements elements,
        array->ReadMany(indices.data<int32_t>(), ListMemory(context)));
    LEAT_ASSIGN_OR_RETURN(const Shape row, CommonShape(elements));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, WithRows(elements.size(), row));
    const auto at = [&](int64_t i) -> const Tensor& {
      return elements[i].value;
    };
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, shape, HeldBytesOf(elements.size(), at)));
    return StackElements(context, elements.size(), at, *output);
  }

 private:
  // Returns the shape that all elements have.
  absl::StatusOr<Shape> CommonShape(const Elements& elements) const {
    if (elements.size() == 0) {
      if (element_shape_.IsFullyKnown()) return element_shape_.ToShape();
      return absl::UnimplementedError(absl::StrCat(
          "TensorArray has size zero, but element shape ",
          element_shape_.DebugString(),
          " is not fully defined. Currently only static shapes are supported "
          "when packing zero-size TensorArrays."));
    }
    const Shape& first = elements[0].shape();
    if (!element_shape_.IsCompatibleWith(first)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "TensorArray was passed element_shape ", element_shape_.DebugString(),
          " which does not match the Tensor at index 0: ",
          first.DebugString()));
    }
    for (int64_t i = 1; i < elements.size(); ++i) {
      if (elements[i].shape() == first) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("TensorArray has inconsistent shapes.  Index 0 has "
                       "shape: ",
                       first.DebugString(), " but index ", i,
                       " has shape: ", elements[i].shape().DebugString()));
    }
    return first;
  }

  const PartialShape element_shape_;
};

class Concat final : public Kernel {
 public:
  explicit Concat(PartialShape row) : row_(std::move(row)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                          ArrayToRead(context));
    LEAT_ASSIGN_OR_RETURN(const Elements elements,
                          array->ReadAll(ListMemory(context)));
    LEAT_ASSIGN_OR_RETURN(const Shape row, CommonRow(elements));
    LEAT_ASSIGN_OR_RETURN(Tensor * lengths,
                          context.AllocateOutput(1, Shape{elements.size()}));
    const auto rows = lengths->mutable_data<int64_t>();
    int64_t total = 0;
    for (int64_t i = 0; i < elements.size(); ++i) {
      rows[static_cast<size_t>(i)] = elements[i].shape().dim(0);
      LEAT_ASSIGN_OR_RETURN(total,
                            CheckedAdd(total, elements[i].shape().dim(0)));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, WithRows(total, row));
    const auto at = [&](int64_t i) -> const Tensor& {
      return elements[i].value;
    };
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, shape, HeldBytesOf(elements.size(), at)));
    return ConcatElements(context, rows, row, at, *output);
  }

 private:
  // Returns the shape that all elements have, without its first extent.
  absl::StatusOr<Shape> CommonRow(const Elements& elements) const {
    if (elements.size() == 0) {
      if (row_.IsFullyKnown()) return row_.ToShape();
      return absl::UnimplementedError(absl::StrCat(
          "TensorArray has size zero, but element_shape_except0 ",
          row_.DebugString(),
          " is not fully defined. Currently only static shapes are supported "
          "when concatenating zero-size TensorArrays."));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape first, RowOfElement(elements, 0));
    for (int64_t i = 1; i < elements.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(const Shape row, RowOfElement(elements, i));
      if (row == first) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting "
          "dimension 0) shape: ",
          first.DebugString(), " but index ", i,
          " has (excepting dimension 0) shape: ", row.DebugString()));
    }
    return first;
  }

  // Returns the shape of element `i` without its first extent, and checks that
  // it fits the attr.
  absl::StatusOr<Shape> RowOfElement(const Elements& elements,
                                     int64_t i) const {
    if (elements[i].shape().rank() == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Concat saw a scalar shape at index ", i,
          " but requires at least vectors.  Did you mean to call pack?"));
    }
    LEAT_ASSIGN_OR_RETURN(Shape row, WithoutRows(elements[i].shape()));
    if (row_.IsCompatibleWith(row)) return row;
    return absl::InvalidArgumentError(absl::StrCat(
        "TensorArray was passed element_shape_except0 ", row_.DebugString(),
        " but index ", i, " has (excepting dimension 0) shape: ",
        row.DebugString(), " which does not match."));
  }

  const PartialShape row_;  // all elements without their first extents fit it
};

// Makes a kernel K from the shape attr `attr`.
template <class K, const auto& attr>
absl::StatusOr<std::unique_ptr<Kernel>> MakeWithShape(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        node.attrs.GetOr<PartialShape>(attr, PartialShape()));
  return std::unique_ptr<Kernel>(std::make_unique<K>(std::move(shape)));
}
constexpr char kElementShape[] = "element_shape";
constexpr char kElementShapeExcept0[] = "element_shape_except0";

absl::Status Scatter(KernelContext& context) {
  const Tensor& indices = context.input(1);
  const Tensor& value = context.input(2);
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                        ArrayToWrite(context, value.dtype()));
  LEAT_RETURN_IF_ERROR(CheckVector(
      indices, "Expected indices to be a vector, but received shape: "));
  if (value.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input value for unpack must be at least a vector but "
                     "received shape: ",
                     value.shape().DebugString()));
  }
  if (indices.num_elements() != value.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected len(indices) == values.shape[0], but saw: ",
                     indices.num_elements(), " vs. ", value.dim(0)));
  }
  const auto rows = indices.data<int32_t>();
  int32_t max_index = -1;
  for (const int32_t index : rows) max_index = std::max(max_index, index);
  LEAT_RETURN_IF_ERROR(array->CheckScatter(max_index));
  LEAT_ASSIGN_OR_RETURN(const Shape shape, WithoutRows(value.shape()));
  for (size_t i = 0; i < rows.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(Tensor row,
                          RowOf(value, static_cast<int64_t>(i), shape));
    LEAT_RETURN_IF_ERROR(array->Write(
        rows[i], std::move(row), ListMemory(context), context.compute_queue()));
  }
  context.set_output(0, context.input(3));
  return absl::OkStatus();
}

// Checks that the lengths are not negative and add up to the rows of `value`.
absl::Status CheckLengths(absl::Span<const int64_t> lengths,
                          const Tensor& value) {
  int64_t sum = 0;
  for (const int64_t length : lengths) {
    if (length < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected lengths to be >= 0, but saw ", length));
    }
    LEAT_ASSIGN_OR_RETURN(sum, CheckedAdd(sum, length));
  }
  if (sum == value.dim(0)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Expected sum of lengths to be equal to values.shape[0], but sum of "
      "lengths is ",
      sum, " and value's shape is: ", value.shape().DebugString()));
}

absl::Status Split(KernelContext& context) {
  const Tensor& value = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                        ArrayToWrite(context, value.dtype()));
  LEAT_RETURN_IF_ERROR(CheckVector(
      context.input(2), "Expected lengths to be a vector, received shape: "));
  if (value.rank() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected value to be at least a vector, but received shape: ",
        value.shape().DebugString()));
  }
  const auto lengths = context.input(2).data<int64_t>();
  LEAT_RETURN_IF_ERROR(CheckLengths(lengths, value));
  LEAT_RETURN_IF_ERROR(array->BeginSplit(static_cast<int64_t>(lengths.size())));
  int64_t start = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    LEAT_RETURN_IF_ERROR(array->Write(
        static_cast<int64_t>(i), value.Slice(start, start + lengths[i]),
        ListMemory(context), context.compute_queue()));
    start += lengths[i];
  }
  context.set_output(0, context.input(3));
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TensorArrayGatherV3", kCpu,
               &MakeWithShape<Gather, kElementShape>);
  registry.Add("TensorArrayScatterV3", kCpu, &MakeFunction<&Scatter>);
  registry.Add("TensorArrayConcatV3", kCpu,
               &MakeWithShape<Concat, kElementShapeExcept0>);
  registry.Add("TensorArraySplitV3", kCpu, &MakeFunction<&Split>);
}

}  // namespace leat::kernels::any::tensor_array_elements
