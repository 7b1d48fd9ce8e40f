// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TensorListStack, TensorListGather and
// TensorListConcatV2. They make one tensor from the elements of a list.
// Elements that were never written become zeros.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::tensor_list_stack {
namespace {

// Copies the `size` values of `element` to `to`, or zeros if the element was
// never written.
template <class E>
void CopyElement(const Tensor& element, int64_t size, E* to) {
  if (element.IsValid()) {
    CopyElements(Elements<E>(element), size, to);
  } else {
    ClearElements(to, size);
  }
}

// Sets `output` to `count` elements of one shape, one after another. `at(i)`
// returns element i.
template <class ElementAt>
absl::Status WriteElements(KernelContext& context, DType dtype, int64_t count,
                           ElementAt at, Tensor& output) {
  if (output.num_elements() == 0) return absl::OkStatus();
  const int64_t size = output.num_elements() / count;
  for (int64_t i = 0; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(CheckMemory(context, at(i)));
  }
  if (AreHeldOnGpu(context, dtype)) {
    LEAT_ASSIGN_OR_RETURN(RowAddresses rows, RowAddresses::New(context, count));
    for (int64_t i = 0; i < count; ++i) rows[i] = AddressOf(at(i));
    return rows.Gather(context, static_cast<size_t>(size) * SizeOf(dtype),
                       output.mutable_raw_data());
  }
  VisitAnyElement(dtype, [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* const to = MutableElements<E>(output);
    ParallelFor(context.compute_queue(), count, 4 + size / 4,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    CopyElement(at(i), size, to + i * size);
                  }
                });
  });
  return absl::OkStatus();
}

// Returns how many bytes the strings or handles of all elements hold. Elements
// that were never written hold none.
int64_t HeldBytesOf(absl::Span<const Tensor> elements) {
  int64_t bytes = 0;
  for (const Tensor& element : elements) {
    bytes = SaturatingAdd(bytes, element.held_bytes());
  }
  return bytes;
}

// Returns `row` with a new first dimension of extent `rows`.
absl::StatusOr<Shape> WithRows(int64_t rows, const Shape& row) {
  Dims dims = {rows};
  dims.insert(dims.end(), row.dims().begin(), row.dims().end());
  return Shape::Create(dims);
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
        context.AllocateOutput(0, shape, HeldBytesOf(list->stored())));
    return WriteElements(
        context, dtype_, list->size(),
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
    int64_t held_bytes = 0;
    for (const int32_t index : indices) {
      held_bytes = SaturatingAdd(held_bytes, list->at(index).held_bytes());
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, shape, held_bytes));
    return WriteElements(
        context, dtype_, count,
        [&](int64_t i) -> const Tensor& { return list->at(indices[i]); },
        *output);
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

// Queues copies of all elements to `output`, one after another. Element i has
// rows[i] rows of the shape `row`.
absl::Status JoinOnGpu(KernelContext& context, const TensorList& list,
                       absl::Span<const int64_t> rows, const Shape& row,
                       Tensor& output) {
  GpuStream& stream = *StreamOf(context);
  const size_t row_bytes =
      static_cast<size_t>(row.num_elements()) * SizeOf(output.dtype());
  char* to = output.mutable_raw_data();
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor& element = list.at(i);
    const size_t bytes = static_cast<size_t>(rows[i]) * row_bytes;
    if (element.IsValid()) {
      LEAT_RETURN_IF_ERROR(stream.CopyOnDevice(to, element.raw_data(), bytes));
    } else {
      LEAT_RETURN_IF_ERROR(stream.Fill(to, 0, bytes));
    }
    to += bytes;
  }
  return absl::OkStatus();
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
      context.AllocateOutput(0, output_shape, HeldBytesOf(list->stored())));
  if (output_shape.num_elements() == 0) return absl::OkStatus();
  for (const Tensor& element : list->stored()) {
    LEAT_RETURN_IF_ERROR(CheckMemory(context, element));
  }
  if (AreHeldOnGpu(context, dtype)) {
    return JoinOnGpu(context, *list, rows, joined.row, *output);
  }
  VisitAnyElement(dtype, [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* to = MutableElements<E>(*output);
    for (int64_t i = 0; i < list->size(); ++i) {
      const int64_t size = rows[i] * joined.row.num_elements();
      CopyElement(list->at(i), size, to);
      to += size;
    }
  });
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("TensorListStack", &MakeStack);
  registry.AddForAllDevices("TensorListGather", &MakeGather);
  registry.AddForAllDevices("TensorListConcatV2", &MakeFunction<&Concat>);
}

}  // namespace leat::kernels::any::tensor_list_stack
