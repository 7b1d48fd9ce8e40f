// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on lists of tensors of one type. Variants hold the lists.
// During shape inference, the handle of a list carries the type and shape of
// its elements.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/core/wire_names.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::tensor_list {
namespace {

// Returns the type and shape of the elements of the list in input 0, as far as
// the handle of the list describes them. Returns INVALID_ARGUMENT if the attr
// element_dtype differs from the type of the elements.
absl::StatusOr<HandleShape> ListElements(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype,
                        context.Attr<DType>("element_dtype"));
  const HandleShape* handle = context.input_handle(0);
  if (handle == nullptr) return HandleShape{.dtype = dtype};
  if (handle->dtype != dtype && handle->dtype != DType::kInvalid) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected list with element dtype ", Name(dtype),
                     " but got list with element dtype ", Name(handle->dtype)));
  }
  return HandleShape{.dtype = dtype, .shape = handle->shape};
}

absl::Status SetList(InferenceContext& context, HandleShape elements) {
  context.set_output(0, Shape{});
  context.set_output_handle(0, std::move(elements));
  return absl::OkStatus();
}

// Sets output 0 to a new list. Its element shape is the one in input `i`,
// merged with `element`.
absl::Status NewList(InferenceContext& context, int i,
                     const PartialShape& element = {}) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype,
                        context.Attr<DType>("element_dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape wanted, context.InputAsShape(i));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, Merge(wanted, element));
  return SetList(context, {.dtype = dtype, .shape = std::move(shape)});
}

// Returns the element shape in the list's handle, merged with the shape in
// input `i`.
absl::StatusOr<PartialShape> ElementShape(const InferenceContext& context,
                                          int i) {
  LEAT_ASSIGN_OR_RETURN(const HandleShape elements, ListElements(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape wanted, context.InputAsShape(i));
  return Merge(elements.shape, wanted);
}

absl::Status TensorListReserveShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  return NewList(context, 0);
}

absl::Status EmptyTensorListShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  return NewList(context, 0);
}

absl::Status TensorListFromTensorShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape tensor,
                        context.WithRankAtLeast(0, 1));
  return NewList(context, 1, Subshape(tensor, 1));
}

absl::Status TensorListStackShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count,
                        context.Attr<int64_t>("num_elements"));
  if (count < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_elements must be >= -1, got ", count));
  }
  LEAT_ASSIGN_OR_RETURN(const PartialShape element, ElementShape(context, 1));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        ConcatenateShapes(PartialShape{count}, element));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status TensorListGetItemShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape element, ElementShape(context, 2));
  context.set_output(0, std::move(element));
  return absl::OkStatus();
}

// Sets output 0 to the list in input 0. Returns INVALID_ARGUMENT if `item` does
// not fit the list's elements.
absl::Status UpdatedList(InferenceContext& context, const PartialShape& item) {
  LEAT_ASSIGN_OR_RETURN(HandleShape elements, ListElements(context));
  LEAT_RETURN_IF_ERROR(Merge(elements.shape, item).status());
  return SetList(context, std::move(elements));
}

absl::Status TensorListSetItemShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  return UpdatedList(context, context.input(2));
}

absl::Status TensorListPushBackShape(InferenceContext& context) {
  // Only the kernel checks that the element fits, as in TensorFlow.
  return UpdatedList(context, PartialShape());
}

absl::Status TensorListPopBackShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape element, ElementShape(context, 1));
  LEAT_RETURN_IF_ERROR(UpdatedList(context, element));
  context.set_output(1, std::move(element));
  return absl::OkStatus();
}

absl::Status TensorListElementShapeShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("shape_type"));
  const HandleShape* handle = context.input_handle(0);
  if (handle == nullptr || !handle->shape.rank_known()) return absl::OkStatus();
  context.set_output(0, Shape{handle->shape.rank()});
  PartialValues known;
  for (const int64_t extent : handle->shape.dims()) {
    // If an extent is unknown here, the op may return its value or -1. So no
    // values are recorded in this case.
    if (extent == PartialShape::kUnknown) return absl::OkStatus();
    known.values.push_back(extent);
  }
  SetPartialValues(context, 0, dtype, known);
  return absl::OkStatus();
}

absl::Status TensorListLengthShape(InferenceContext& context) {
  return shapes::Scalar(context);
}

absl::Status TensorListResizeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  context.set_output(0, Shape{});
  const HandleShape* handle = context.input_handle(0);
  if (handle != nullptr) context.set_output_handle(0, *handle);
  return absl::OkStatus();
}

// The first extent of output 0 is the sum of the elements' first extents. This
// sum is not known before the step.
absl::Status TensorListConcatV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape element, ElementShape(context, 1));
  if (element.rank_known() && element.rank() == 0) {
    return absl::InvalidArgumentError(
        "Concat requires elements to be at least vectors, found scalars "
        "instead");
  }
  LEAT_ASSIGN_OR_RETURN(
      PartialShape shape,
      ConcatenateShapes(PartialShape::UnknownOfRank(1), Subshape(element, 1)));
  context.set_output(0, std::move(shape));
  context.set_output(1, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

absl::Status TensorListSplitShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape tensor,
                        context.WithRankAtLeast(0, 1));
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 1).status());
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape rows,
      ConcatenateShapes(PartialShape::UnknownOfRank(1), Subshape(tensor, 1)));
  return NewList(context, 1, rows);
}

absl::Status TensorListGatherShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape element, ElementShape(context, 2));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        ConcatenateShapes(indices, element));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status TensorListScatterV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape tensor,
                        context.WithRankAtLeast(0, 1));
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 1).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(3, 0).status());
  return NewList(context, 2, Subshape(tensor, 1));
}

absl::Status TensorListScatterIntoExistingListShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape tensor,
                        context.WithRankAtLeast(1, 1));
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 1).status());
  return UpdatedList(context, Subshape(tensor, 1));
}

// Returns the signatures of a kernel whose attr element_dtype is the type of
// the list's elements. `on_cpu` is the signature for CPUs. On a GPU, elements
// are in GPU memory, but elements of type int32 are in host memory.
// `host_inputs` and `host_outputs` name the arguments that are in host memory
// for all types.
std::vector<KernelSignature> OnAllDevices(
    KernelSignature on_cpu, std::vector<std::string> host_inputs = {},
    std::vector<std::string> host_outputs = {}) {
  std::vector<KernelSignature> signatures = {
      std::move(on_cpu), OnGpu({{"element_dtype", kMovableOnGpu.dtypes()}}),
      RoutesOnGpu()};
  for (KernelSignature& signature : absl::MakeSpan(signatures).subspan(1)) {
    signature = InHostMemory(std::move(signature), host_inputs, host_outputs);
  }
  return signatures;
}

// The ops with this signature are not folded. Otherwise, every step that
// changes a list would have to copy a folded list first.
KernelSignature NotFoldableOnCpu() { return NotFoldable(OnCpu()); }

void AddTensorListReserveAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "TensorListReserve",
       .doc = "Returns a list of num_elements elements that have no value yet.",
       .inputs = {"element_shape: shape_type", "num_elements: int32"},
       .outputs = {"handle: variant"},
       .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
       .shape = TensorListReserveShape,
       .work = works::Nothing},
      OnAllDevices(NotFoldableOnCpu(), {"element_shape", "num_elements"}));

  registry.Add(
      {.name = "EmptyTensorList",
       .doc = "Returns an empty list.",
       .inputs = {"element_shape: shape_type", "max_num_elements: int32"},
       .outputs = {"handle: variant"},
       .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
       .shape = EmptyTensorListShape,
       .work = works::Nothing},
      OnAllDevices(NotFoldableOnCpu(), {"element_shape", "max_num_elements"}));

  registry.Add(
      {.name = "TensorListFromTensor",
       .doc = "Returns a list of the slices of a tensor along the first axis.",
       .inputs = {"tensor: element_dtype", "element_shape: shape_type"},
       .outputs = {"output_handle: variant"},
       .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
       .shape = TensorListFromTensorShape,
       .work = works::Nothing},
      OnAllDevices(NotFoldableOnCpu(), {"element_shape"}));

  registry.Add({.name = "TensorListStack",
                .doc = "Stacks the elements of a list along a new first axis.",
                .inputs = {"input_handle: variant", "element_shape: int32"},
                .outputs = {"tensor: element_dtype"},
                .attrs = {"element_dtype: type", "num_elements: int = -1"},
                .shape = TensorListStackShape,
                .work = works::Take},
               OnAllDevices(ExpensiveOnCpu(), {"element_shape"}));
}

void AddTensorListGetItemAndOthers(OpRegistry& registry) {
  registry.Add({.name = "TensorListGetItem",
                .doc = "Returns the element of a list at an index.",
                .inputs = {"input_handle: variant", "index: int32",
                           "element_shape: int32"},
                .outputs = {"item: element_dtype"},
                .attrs = {"element_dtype: type"},
                .shape = TensorListGetItemShape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu(), {"index", "element_shape"}));

  registry.Add({.name = "TensorListSetItem",
                .doc = "Sets the element of a list at an index.",
                .inputs = {"input_handle: variant", "index: int32",
                           "item: element_dtype"},
                .outputs = {"output_handle: variant"},
                .attrs = {"element_dtype: type",
                          "resize_if_index_out_of_bounds: bool = false"},
                .shape = TensorListSetItemShape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu(), {"index"}));

  registry.Add({.name = "TensorListPushBack",
                .doc = "Appends an element to a list.",
                .inputs = {"input_handle: variant", "tensor: element_dtype"},
                .outputs = {"output_handle: variant"},
                .attrs = {"element_dtype: type"},
                .shape = TensorListPushBackShape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu()));

  registry.Add({.name = "TensorListPopBack",
                .doc = "Removes the last element from a list and returns both.",
                .inputs = {"input_handle: variant", "element_shape: int32"},
                .outputs = {"output_handle: variant", "tensor: element_dtype"},
                .attrs = {"element_dtype: type"},
                .shape = TensorListPopBackShape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu(), {"element_shape"}));
}

void AddTensorListElementShapeAndOthers(OpRegistry& registry) {
  registry.Add({.name = "TensorListElementShape",
                .doc = "Returns the shape of the elements of a list, with -1 "
                       "for what is unknown.",
                .inputs = {"input_handle: variant"},
                .outputs = {"element_shape: shape_type"},
                .attrs = {"shape_type: {int32, int64}"},
                .shape = TensorListElementShapeShape,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"element_shape"})});

  registry.Add({.name = "TensorListLength",
                .doc = "Returns the number of elements of a list.",
                .inputs = {"input_handle: variant"},
                .outputs = {"length: int32"},
                .shape = TensorListLengthShape,
                .work = works::Nothing},
               {OnCpu(), RoutesOnGpu()});

  registry.Add({.name = "TensorListResize",
                .doc = "Cuts a list to a given size, or extends it by elements "
                       "that have no value yet.",
                .inputs = {"input_handle: variant", "size: int32"},
                .outputs = {"output_handle: variant"},
                .shape = TensorListResizeShape,
                .work = works::Nothing},
               {NotFoldableOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "TensorListConcatV2",
                .doc = "Concatenates the elements of a list along their first "
                       "axis, and returns its extents, too.",
                .inputs = {"input_handle: variant", "element_shape: shape_type",
                           "leading_dims: int64"},
                .outputs = {"tensor: element_dtype", "lengths: int64"},
                .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
                .shape = TensorListConcatV2Shape,
                .work = works::Take},
               OnAllDevices(ExpensiveOnCpu(), {"element_shape", "leading_dims"},
                            {"lengths"}));
}

void AddTensorListSplitAndOthers(OpRegistry& registry) {
  registry.Add({.name = "TensorListSplit",
                .doc = "Returns a list of the parts of a tensor that have the "
                       "given lengths along the first axis.",
                .inputs = {"tensor: element_dtype", "element_shape: shape_type",
                           "lengths: int64"},
                .outputs = {"output_handle: variant"},
                .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
                .shape = TensorListSplitShape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu(), {"element_shape", "lengths"}));

  registry.Add({.name = "TensorListGather",
                .doc = "Stacks the elements of a list at the given indices "
                       "along a new first axis.",
                .inputs = {"input_handle: variant", "indices: int32",
                           "element_shape: int32"},
                .outputs = {"values: element_dtype"},
                .attrs = {"element_dtype: type"},
                .shape = TensorListGatherShape,
                .work = works::Take},
               OnAllDevices(ExpensiveOnCpu(), {"indices", "element_shape"}));

  registry.Add({.name = "TensorListScatterV2",
                .doc = "Returns a list that has the slices of a tensor at the "
                       "given indices.",
                .inputs = {"tensor: element_dtype", "indices: int32",
                           "element_shape: shape_type", "num_elements: int32"},
                .outputs = {"output_handle: variant"},
                .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
                .shape = TensorListScatterV2Shape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu(),
                            {"indices", "element_shape", "num_elements"}));

  registry.Add({.name = "TensorListScatterIntoExistingList",
                .doc = "Sets the elements of a list at the given indices to "
                       "the slices of a tensor.",
                .inputs = {"input_handle: variant", "tensor: element_dtype",
                           "indices: int32"},
                .outputs = {"output_handle: variant"},
                .attrs = {"element_dtype: type"},
                .shape = TensorListScatterIntoExistingListShape,
                .work = works::Nothing},
               OnAllDevices(NotFoldableOnCpu(), {"indices"}));
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.AddVariant(kTensorListTypeName, &TensorList::Decode);
  AddTensorListReserveAndOthers(registry);
  AddTensorListGetItemAndOthers(registry);
  AddTensorListElementShapeAndOthers(registry);
  AddTensorListSplitAndOthers(registry);
}

}  // namespace leat::ops::tensor_list
