// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TensorListStack, TensorListGather and
// TensorListConcatV2. They make one tensor from the elements of a list.
// Elements that were never written become zeros.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::tensor_list_stack {
namespace {

// Returns how many bytes the strings or handles of all elements hold. Elements
// that were never written hold none.
int64_t HeldBytesOfList(const TensorList& list) {
  const auto stored = list.stored();
  return HeldBytesOf(static_cast<int64_t>(stored.size()),
                     [&](int64_t i) -> const Tensor& {
                       return stored[static_cast<size_t>(i)];
                     });
}

class Stack final : public Kernel {
 public:
  Stack(DType dtype, int64_t num_elements)
      : dtype_(dtype), num_elements_(num_elements) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0, dtype_));
    if (num_elements_ != -1 && list->size() != num_elements_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Operation expected a list with ", num_elements_,
          " elements but got a list with ", list->size(), " elements."));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape row, RowShape(context, *list));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, WithRows(list->size(), row));
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, shape, HeldBytesOfList(*list)));
    return StackElements(
        context, list->size(),
        [&](int64_t i) -> const Tensor& { return list->at(i); }, *output);
  }

 private:
  // Returns the shape of one element, merged from the input, the list's own
  // element shape and the shapes of its elements.
  static absl::StatusOr<Shape> RowShape(const KernelContext& context,
                                        const TensorList& list) {
    LEAT_ASSIGN_OR_RETURN(PartialShape partial,
                          GetElementShape(context, list, 1));
    if (!partial.IsFullyKnown() && list.size() == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Tried to stack elements of an empty list with non-fully-defined "
          "element_shape: ",
          partial.DebugString()));
    }
    if (!list.element_shape().IsFullyKnown()) {
      LEAT_ASSIGN_OR_RETURN(partial, MergeElementShapes(list, partial));
    }
    if (!partial.IsFullyKnown()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Tried to stack list which only contains uninitialized tensors and "
          "has a non-fully-defined element_shape: ",
          partial.DebugString()));
    }
    return partial.ToShape();
  }

  const DType dtype_;
  const int64_t num_elements_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStack(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype,
                        node.attrs.Get<DType>("element_dtype"));
  LEAT_ASSIGN_OR_RETURN(const int64_t num_elements,
                        node.attrs.GetOr<int64_t>("num_elements", -1));
  return std::unique_ptr<Kernel>(std::make_unique<Stack>(dtype, num_elements));
}

class Gather final : public Kernel {
 public:
  explicit Gather(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0, dtype_));
    const auto indices = context.input(1).data<int32_t>();
    LEAT_ASSIGN_OR_RETURN(const Shape row, RowShape(context, *list, indices));
    const int64_t count = static_cast<int64_t>(indices.size());
    LEAT_ASSIGN_OR_RETURN(const Shape shape, WithRows(count, row));
    const auto at = [&](int64_t i) -> const Tensor& {
      return list->at(indices[static_cast<size_t>(i)]);
    };
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, shape, HeldBytesOf(count, at)));
    return StackElements(context, count, at, *output);
  }

 private:
  // Returns the shape of one element, and checks that all indices are within
  // the list.
  static absl::StatusOr<Shape> RowShape(const KernelContext& context,
                                        const TensorList& list,
                                        absl::Span<const int32_t> indices) {
    LEAT_ASSIGN_OR_RETURN(PartialShape partial,
                          GetElementShape(context, list, 2));
    if (!partial.IsFullyKnown() && indices.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Tried to gather 0-elements from a list with "
                       "non-fully-defined shape: ",
                       partial.DebugString()));
    }
    const bool merge = !list.element_shape().IsFullyKnown();
    for (const int32_t index : indices) {
      if (index < 0 || index >= list.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("Index ", index, " out o range; list only has ",
                         list.size(), " elements."));
      }
      const Tensor& element = list.at(index);
      if (!merge || !element.IsValid()) continue;
      LEAT_ASSIGN_OR_RETURN(partial, Merge(partial, element.shape()));
    }
    if (!partial.IsFullyKnown()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Tried to gather uninitialized tensors from a list with "
                       "non-fully-defined element_shape: ",
                       partial.DebugString()));
    }
    return partial.ToShape();
  }

  const DType dtype_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeGather(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype,
                        node.attrs.Get<DType>("element_dtype"));
  return std::unique_ptr<Kernel>(std::make_unique<Gather>(dtype));
}

// Returns `shape` without its first dimension.
PartialShape WithoutRows(const PartialShape& shape) {
  if (!shape.rank_known()) return PartialShape();
  return PartialShape::Create(shape.dims().subspan(1)).value();
}

// Describes the merged shapes of the elements that TensorListConcatV2 joins.
struct Joined {
  int64_t first_dim = PartialShape::kUnknown;  // for unwritten elements
  Shape row;  // an element's shape without the first extent
};

// Checks that element `i` is not a scalar. If `wanted` is not kUnknown, also
// checks that the element has `wanted` rows.
absl::Status CheckRows(int64_t i, const Tensor& element, int64_t wanted) {
  if (element.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Concat saw a scalar shape at index ", i,
                     " but requires at least vectors."));
  }
  if (wanted != PartialShape::kUnknown && element.dim(0) != wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        "First entry of element_shape input does not match the first dim of "
        "list element at index: ",
        i, " Expected: ", wanted, " Actual: ", element.dim(0)));
  }
  return absl::OkStatus();
}

// Merges the shapes of the elements. The first extent of `shape` may be
// unknown. If all written elements then have the same first extent, unwritten
// elements get this extent, too.
absl::StatusOr<Joined> JoinElements(const TensorList& list,
                                    const PartialShape& shape) {
  Joined joined;
  if (shape.rank_known()) joined.first_dim = shape.dim(0);
  const int64_t wanted = joined.first_dim;
  PartialShape row = WithoutRows(shape);
  bool differ = false;
  const auto stored = list.stored();
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!stored[i].IsValid()) continue;
    LEAT_RETURN_IF_ERROR(CheckRows(static_cast<int64_t>(i), stored[i], wanted));
    LEAT_ASSIGN_OR_RETURN(row, Merge(row, WithoutRows(stored[i].shape())));
    differ = differ || (joined.first_dim != PartialShape::kUnknown &&
                        joined.first_dim != stored[i].dim(0));
    joined.first_dim = stored[i].dim(0);
  }
  if (differ) joined.first_dim = PartialShape::kUnknown;
  if (!row.IsFullyKnown()) {
    return absl::InvalidArgumentError(absl::StrCat(
        list.size() == 0
            ? "All except the first dimension must be fully defined when "
              "concating an empty tensor list. element_shape: "
            : "Trying to concat list with only uninitialized tensors but "
              "element_shape_except_first_dim is not fully defined: ",
        row.DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(joined.row, row.ToShape());
  return joined;
}

// Writes to `lengths` how many rows each element has, and returns the sum. An
// element i that was never written has leading_dims[i] rows. If `leading_dims`
// is too short, the element has `first_dim` rows. Returns INVALID_ARGUMENT if
// `first_dim` is needed but is kUnknown, or if a number of rows is negative.
absl::StatusOr<int64_t> WriteLengths(const TensorList& list,
                                     const Tensor& leading_dims,
                                     int64_t first_dim,
                                     absl::Span<int64_t> lengths) {
  const auto given = leading_dims.data<int64_t>();
  int64_t total = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Tensor& element = list.at(static_cast<int64_t>(i));
    int64_t length = first_dim;
    if (element.IsValid()) {
      length = element.dim(0);
    } else if (i < given.size()) {
      length = given[i];
    } else if (length == PartialShape::kUnknown) {
      return absl::InvalidArgumentError(absl::StrCat(
          "List contains uninitialized tensor at index ", i,
          " but leading_dims has only ", given.size(), " elements."));
    }
    LEAT_ASSIGN_OR_RETURN(total, CheckedAdd(total, length));
    lengths[i] = length;
  }
  return total;
}

absl::Status Concat(KernelContext& context) {
  const DType dtype = context.node().output_types[0];
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0, dtype));
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        GetElementShape(context, *list, 1));
  if (shape.rank_known() && shape.rank() == 0) {
    return absl::InvalidArgumentError(
        "Concat requires elements to be at least vectors, found scalars "
        "instead.");
  }
  LEAT_ASSIGN_OR_RETURN(const Joined joined, JoinElements(*list, shape));
  LEAT_ASSIGN_OR_RETURN(Tensor * lengths,
                        context.AllocateOutput(1, Shape{list->size()}));
  const auto rows = lengths->mutable_data<int64_t>();
  LEAT_ASSIGN_OR_RETURN(
      const int64_t total,
      WriteLengths(*list, context.input(2), joined.first_dim, rows));
  LEAT_ASSIGN_OR_RETURN(const Shape output_shape, WithRows(total, joined.row));
  LEAT_ASSIGN_OR_RETURN(
      Tensor * output,
      context.AllocateOutput(0, output_shape, HeldBytesOfList(*list)));
  return ConcatElements(
      context, rows, joined.row,
      [&](int64_t i) -> const Tensor& { return list->at(i); }, *output);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("TensorListStack", &MakeStack);
  registry.AddForAllDevices("TensorListGather", &MakeGather);
  registry.AddForAllDevices("TensorListConcatV2", &MakeFunction<&Concat>);
}

}  // namespace leat::kernels::any::tensor_list_stack
