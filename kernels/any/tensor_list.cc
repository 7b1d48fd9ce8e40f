// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the TensorList ops that work on lists and on single
// elements: EmptyTensorList, TensorListReserve, TensorListPushBack,
// TensorListPopBack, TensorListGetItem, TensorListSetItem, TensorListLength,
// TensorListElementShape and TensorListResize.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::tensor_list {
namespace {

// Is a function that does all the work of a kernel. It gets the attr
// element_dtype as an argument.
using ListFunction = absl::Status (*)(KernelContext&, DType element_dtype);
template <ListFunction function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeListKernel(const NodeDef& node) {
  class ListKernel final : public Kernel {
   public:
    explicit ListKernel(DType dtype) : dtype_(dtype) {}
    absl::Status Compute(KernelContext& context) const final {
      return function(context, dtype_);
    }

   private:
    const DType dtype_;
  };
  LEAT_ASSIGN_OR_RETURN(const DType dtype,
                        node.attrs.Get<DType>("element_dtype"));
  return std::unique_ptr<Kernel>(std::make_unique<ListKernel>(dtype));
}

absl::Status MakeEmpty(KernelContext& context, DType dtype) {
  const Tensor& max_num_elements = context.input(1);
  if (max_num_elements.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_num_elements expected to be a scalar but got shape: ",
                     max_num_elements.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, GetPartialShape(context.input(0)));
  return SetList(
      context, 0,
      TensorList(dtype, std::move(shape), max_num_elements.scalar<int32_t>()));
}

absl::Status Reserve(KernelContext& context, DType dtype) {
  const Tensor& num_elements = context.input(1);
  if (num_elements.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The num_elements to reserve must be a tensor size 1, but got ",
        num_elements.shape().DebugString()));
  }
  const int32_t size = num_elements.scalar<int32_t>();
  if (size < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The num_elements to reserve must be a non negative number, but got ",
        size));
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, GetPartialShape(context.input(0)));
  TensorList list(dtype, std::move(shape));
  list.Resize(size);
  return SetList(context, 0, std::move(list));
}

absl::Status PushBack(KernelContext& context, DType dtype) {
  LEAT_RETURN_IF_ERROR(GetList(context, 0, dtype).status());
  LEAT_ASSIGN_OR_RETURN(TensorList * list, ForwardOrCopyList(context, 0, 0));
  return list->PushBack(context.input(1), ListMemory(context));
}

// Sets output `o` to `element`, or to zeros of `shape` if the element was never
// written.
absl::Status SetElement(KernelContext& context, int o, const Tensor& element,
                        DType dtype, const Shape& shape) {
  if (element.IsValid()) {
    LEAT_RETURN_IF_ERROR(CheckMemory(context, element));
    context.set_output(o, element);
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor zeros, MakeZeros(context, dtype, shape));
  context.set_output(o, std::move(zeros));
  return absl::OkStatus();
}

absl::Status PopBack(KernelContext& context, DType dtype) {
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0, dtype));
  if (list->size() == 0) {
    return absl::InvalidArgumentError("Trying to pop from an empty list.");
  }
  const Tensor last = list->at(list->size() - 1);
  Shape shape;
  if (!last.IsValid()) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape partial,
                          GetElementShape(context, *list, 1));
    if (!partial.IsFullyKnown()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Trying to read an uninitialized tensor but "
                       "element_shape is not fully defined.",
                       partial.DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(shape, partial.ToShape());
  }
  LEAT_RETURN_IF_ERROR(SetElement(context, 1, last, dtype, shape));
  LEAT_ASSIGN_OR_RETURN(TensorList * output, ForwardOrCopyList(context, 0, 0));
  output->PopBack();
  return absl::OkStatus();
}

absl::Status GetItem(KernelContext& context, DType dtype) {
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0, dtype));
  LEAT_ASSIGN_OR_RETURN(const int32_t index, GetInt(context, 1, "index"));
  if (index < 0 || index >= list->size()) {
    return absl::InvalidArgumentError(absl::StrCat("Trying to access element ",
                                                   index, " in a list with ",
                                                   list->size(), " elements."));
  }
  const Tensor& element = list->at(index);
  if (element.IsValid()) return SetElement(context, 0, element, dtype, {});
  LEAT_ASSIGN_OR_RETURN(PartialShape partial,
                        GetElementShape(context, *list, 2));
  if (!partial.IsFullyKnown()) {
    LEAT_ASSIGN_OR_RETURN(partial, MergeElementShapes(*list, partial));
  }
  if (!partial.IsFullyKnown()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Trying to read an uninitialized tensor but element_shape is not fully "
        "defined: ",
        partial.DebugString(), " and no list element is set."));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape, partial.ToShape());
  return SetElement(context, 0, element, dtype, shape);
}

class SetItem final : public Kernel {
 public:
  SetItem(DType dtype, bool resize) : dtype_(dtype), resize_(resize) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const TensorList* input, GetList(context, 0, dtype_));
    LEAT_RETURN_IF_ERROR(
        CheckScalar(context.input(1), "argument 1, the index,"));
    LEAT_ASSIGN_OR_RETURN(const int32_t index, GetInt(context, 1, "index"));
    const int64_t size = input->size();
    if (index < 0 || (index >= size && !resize_) ||
        index >= TensorList::kMaxSize) {
      return absl::InvalidArgumentError(
          absl::StrCat("Trying to modify element ", index, " in a list with ",
                       size, " elements."));
    }
    LEAT_ASSIGN_OR_RETURN(TensorList * list, ForwardOrCopyList(context, 0, 0));
    if (index >= size) list->Resize(int64_t{index} + 1);
    return list->Set(index, context.input(2), ListMemory(context));
  }

 private:
  const DType dtype_;
  const bool resize_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSetItem(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype,
                        node.attrs.Get<DType>("element_dtype"));
  LEAT_ASSIGN_OR_RETURN(
      const bool resize,
      node.attrs.GetOr<bool>("resize_if_index_out_of_bounds", false));
  return std::unique_ptr<Kernel>(std::make_unique<SetItem>(dtype, resize));
}

absl::Status Length(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<int32_t>()[0] = static_cast<int32_t>(list->size());
  return absl::OkStatus();
}

template <class T>
absl::Status WriteElementShape(KernelContext& context,
                               const PartialShape& shape) {
  const bool known = shape.rank_known();
  LEAT_ASSIGN_OR_RETURN(
      Tensor * output,
      context.AllocateOutput(0, known ? Shape{shape.rank()} : Shape{}));
  const auto dims = output->mutable_data<T>();
  if (!known) dims[0] = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    dims[i] = static_cast<T>(shape.dim(i));
    if (static_cast<int64_t>(dims[i]) != shape.dim(i)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Element shape ", shape.DebugString(),
                       " does not fit the output type"));
    }
  }
  return absl::OkStatus();
}

absl::Status ElementShape(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TensorList* list, GetList(context, 0));
  return context.node().output_types[0] == DType::kInt64
             ? WriteElementShape<int64_t>(context, list->element_shape())
             : WriteElementShape<int32_t>(context, list->element_shape());
}

absl::Status Resize(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(GetList(context, 0).status());
  LEAT_RETURN_IF_ERROR(CheckScalar(context.input(1), "size"));
  LEAT_ASSIGN_OR_RETURN(const int32_t size, GetInt(context, 1, "size"));
  if (size < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TensorListSlice expects size to be non-negative. Got: ", size));
  }
  LEAT_ASSIGN_OR_RETURN(TensorList * list, ForwardOrCopyList(context, 0, 0));
  list->Resize(size);
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("EmptyTensorList", &MakeListKernel<&MakeEmpty>);
  registry.AddForAllDevices("TensorListReserve", &MakeListKernel<&Reserve>);
  registry.AddForAllDevices("TensorListPushBack", &MakeListKernel<&PushBack>);
  registry.AddForAllDevices("TensorListPopBack", &MakeListKernel<&PopBack>);
  registry.AddForAllDevices("TensorListGetItem", &MakeListKernel<&GetItem>);
  registry.AddForAllDevices("TensorListSetItem", &MakeSetItem);
  registry.AddForAllDevices("TensorListLength", &MakeFunction<&Length>);
  registry.AddForAllDevices("TensorListElementShape",
                            &MakeFunction<&ElementShape>);
  registry.AddForAllDevices("TensorListResize", &MakeFunction<&Resize>);
}

}  // namespace leat::kernels::any::tensor_list
