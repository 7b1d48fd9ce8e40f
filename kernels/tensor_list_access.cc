// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/tensor_list_access.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"

namespace leat::kernels {

absl::StatusOr<const TensorList*> GetList(const KernelContext& context, int i) {
  const Tensor& input = context.input(i);
  if (input.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input list must be a scalar saw: ", input.shape().DebugString()));
  }
  const Variant& variant = input.scalar<Variant>();
  const TensorList* list = variant.get<TensorList>();
  if (list == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input handle is not a list. Saw: '",
        variant.value() == nullptr ? "empty" : variant.value()->DebugString(),
        "'"));
  }
  return list;
}

absl::StatusOr<const TensorList*> GetList(const KernelContext& context, int i,
                                          DType dtype) {
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, i));
  LEAT_RETURN_IF_ERROR(list->CheckDType(dtype));
  return list;
}

absl::StatusOr<TensorList*> ForwardOrCopyList(KernelContext& context, int i,
                                              int o) {
  if (context.MayReuseInput(i)) {
    Tensor tensor = context.input(i);
    TensorList* const own =
        tensor.mutable_data<Variant>()[0].MutableIfUnique<TensorList>();
    if (own != nullptr) {
      context.set_output(o, std::move(tensor));
      return own;
    }
  }
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, i));
  LEAT_ASSIGN_OR_RETURN(TensorList copy, list->Copy(ListMemory(context)));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(o, Shape{}));
  Variant& variant = output->mutable_data<Variant>()[0];
  variant = Variant::Of(std::move(copy));
  return variant.MutableIfUnique<TensorList>();
}

Allocator& ListMemory(const KernelContext& context) {
  return context.step().device->host_allocator();
}

absl::Status SetList(KernelContext& context, int o, TensorList list) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(o, Shape{}));
  output->mutable_data<Variant>()[0] = Variant::Of(std::move(list));
  return absl::OkStatus();
}

absl::StatusOr<PartialShape> GetPartialShape(const Tensor& tensor) {
  LEAT_ASSIGN_OR_RETURN(const Dims dims, GetIndices(tensor, "element_shape"));
  if (tensor.rank() != 0) return PartialShape::Create(dims);
  if (dims[0] == -1) return PartialShape();
  return absl::InvalidArgumentError(
      "The only valid scalar shape tensor is the fully unknown shape specified "
      "as -1.");
}

absl::StatusOr<PartialShape> GetElementShape(const KernelContext& context,
                                             const TensorList& list, int i) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        GetPartialShape(context.input(i)));
  return Merge(shape, list.element_shape());
}

absl::StatusOr<PartialShape> MergeElementShapes(const TensorList& list,
                                                PartialShape shape) {
  for (const Tensor& element : list.stored()) {
    if (!element.IsValid()) continue;
    // The comparison saves the merge in the usual case that all elements have
    // the same shape.
    if (shape.IsFullyKnown() && shape == PartialShape(element.shape())) {
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(shape, Merge(shape, element.shape()));
  }
  return shape;
}

absl::StatusOr<int32_t> GetInt(const KernelContext& context, int i,
                               absl::string_view what) {
  return GetScalar<int32_t>(context.input(i), what);
}

bool AreHeldOnGpu(const KernelContext& context, DType dtype) {
  return StreamOf(context) != nullptr && IsPlainBytes(dtype) &&
         dtype != DType::kInt32;
}

absl::Status CheckMemory(const KernelContext& context, const Tensor& held) {
  if (!held.IsValid() ||
      held.IsOnGpu() == AreHeldOnGpu(context, held.dtype())) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(
      "A variant holds a tensor of type ", Name(held.dtype()), " in memory of ",
      held.IsOnGpu() ? "a GPU" : "the host", ", where ",
      context.step().device->name(), " does not expect it"));
}

absl::StatusOr<Tensor> MakeZeros(KernelContext& context, DType dtype,
                                 const Shape& shape) {
  if (AreHeldOnGpu(context, dtype)) {
    LEAT_ASSIGN_OR_RETURN(Tensor zeros,
                          context.AllocateTemporary(dtype, shape));
    LEAT_RETURN_IF_ERROR(StreamOf(context)->Fill(
        zeros.mutable_raw_data(), 0, static_cast<size_t>(zeros.num_bytes())));
    return zeros;
  }
  LEAT_ASSIGN_OR_RETURN(Tensor zeros,
                        Tensor::Allocate(ListMemory(context), dtype, shape));
  if (IsPlainBytes(dtype) && zeros.num_bytes() > 0) {
    std::memset(zeros.mutable_raw_data(), 0,
                static_cast<size_t>(zeros.num_bytes()));
  }
  return zeros;
}

}  // namespace leat::kernels
