// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on TensorArrays, which the loops of TensorFlow 1.x fill and
// read. During shape inference, the handle of an array carries the type and the
// shape of its elements, if all of them have the same shape. As in TensorFlow,
// the handle itself gets the shape [2], although it is a scalar.
#include <initializer_list>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::tensor_array {
namespace {

// Checks the shape of the handle in input 0, and that these inputs are scalars.
absl::Status CheckInputs(const InferenceContext& context,
                         std::initializer_list<int> scalars) {
  LEAT_RETURN_IF_ERROR(Merge(context.input(0), Shape{2}).status());
  for (const int i : scalars) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  }
  return absl::OkStatus();
}

// Returns the shape of the elements, as far as the handle describes them.
PartialShape ElementShape(const InferenceContext& context) {
  const HandleShape* handle = context.input_handle(0);
  return handle == nullptr ? PartialShape() : handle->shape;
}

absl::Status ArrayShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  context.set_output(0, Shape{2});
  context.set_output(1, Shape{});
  LEAT_ASSIGN_OR_RETURN(const bool identical,
                        context.Attr<bool>("identical_element_shapes"));
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("element_shape"));
  if (identical || shape.IsFullyKnown()) {
    context.set_output_handle(0, {.dtype = dtype, .shape = std::move(shape)});
  }
  return absl::OkStatus();
}

// Sets the outputs to a gradient array and its flow. The shapes of the elements
// begin with `prepended`.
absl::Status GradientArray(InferenceContext& context,
                           const PartialShape& prepended) {
  context.set_output(0, Shape{2});
  context.set_output(1, Shape{});
  const HandleShape* handle = context.input_handle(0);
  if (handle == nullptr) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        ConcatenateShapes(prepended, handle->shape));
  context.set_output_handle(
      0, {.dtype = handle->dtype, .shape = std::move(shape)});
  return absl::OkStatus();
}

absl::Status GradShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {}));
  return GradientArray(context, Shape{});
}

absl::Status GradWithShapeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {}));
  LEAT_ASSIGN_OR_RETURN(const PartialShape prepended, ShapeInput(context, 2));
  return GradientArray(context, prepended);
}

absl::Status WriteShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {1, 3}));
  LEAT_RETURN_IF_ERROR(Merge(ElementShape(context), context.input(2)).status());
  return shapes::Scalar(context);
}

absl::Status ReadShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {1, 2}));
  context.set_output(0, ElementShape(context));
  return absl::OkStatus();
}

absl::Status GatherShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {2}));
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices, context.WithRank(1, 1));
  PartialShape element = ElementShape(context);
  if (!element.rank_known()) {
    LEAT_ASSIGN_OR_RETURN(element, context.Attr<PartialShape>("element_shape"));
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        ConcatenateShapes(indices, element));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ScatterShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {3}));
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape value,
                        context.WithRankAtLeast(2, 1));
  LEAT_RETURN_IF_ERROR(
      MergeExtents(ExtentOf(indices, 0), ExtentOf(value, 0)).status());
  LEAT_RETURN_IF_ERROR(
      Merge(ElementShape(context), Subshape(value, 1)).status());
  return shapes::Scalar(context);
}

absl::Status ConcatShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {1}));
  context.set_output(1, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

absl::Status SplitShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {3}));
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 1).status());
  return shapes::Scalar(context);
}

absl::Status SizeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context, {}));
  return shapes::Scalar(context);
}

absl::Status CloseShape(InferenceContext& context) {
  return CheckInputs(context, {});
}

// All of these ops have state, so none is folded.
KernelSignature NotFoldableOnCpu() { return NotFoldable(OnCpu()); }

void AddArrays(OpRegistry& registry) {
  registry.Add(
      {.name = "TensorArrayV3",
       .doc = "Returns the handle of a new array of tensors, which lives until "
              "the step ends.",
       .inputs = {"size: int32"},
       .outputs = {"handle: resource", "flow: float"},
       .attrs = {"dtype: type", "element_shape: shape = { unknown_rank: true }",
                 "dynamic_size: bool = false", "clear_after_read: bool = true",
                 "identical_element_shapes: bool = false",
                 "tensor_array_name: string = ''"},
       .stateful = true,
       .shape = ArrayShape},
      {NotFoldableOnCpu()});

  registry.Add({.name = "TensorArrayGradV3",
                .doc = "Returns the handle of the gradients of an array.",
                .inputs = {"handle: resource", "flow_in: float"},
                .outputs = {"grad_handle: resource", "flow_out: float"},
                .attrs = {"source: string"},
                .stateful = true,
                .shape = GradShape},
               {NotFoldableOnCpu()});

  registry.Add({.name = "TensorArrayGradWithShape",
                .doc = "Returns the handle of the gradients of an array, whose "
                       "shapes have more extents in front.",
                .inputs = {"handle: resource", "flow_in: float",
                           "shape_to_prepend: int32"},
                .outputs = {"grad_handle: resource", "flow_out: float"},
                .attrs = {"source: string"},
                .stateful = true,
                .shape = GradWithShapeShape},
               {NotFoldableOnCpu()});

  registry.Add({.name = "TensorArraySizeV3",
                .doc = "Returns the number of elements of an array of tensors.",
                .inputs = {"handle: resource", "flow_in: float"},
                .outputs = {"size: int32"},
                .stateful = true,
                .shape = SizeShape},
               {NotFoldableOnCpu()});

  registry.Add({.name = "TensorArrayCloseV3",
                .doc = "Drops the elements of an array of tensors, so that it "
                       "cannot be used any more.",
                .inputs = {"handle: resource"},
                .stateful = true,
                .shape = CloseShape},
               {NotFoldableOnCpu()});
}

void AddReadsAndWrites(OpRegistry& registry) {
  registry.Add({.name = "TensorArrayWriteV3",
                .doc = "Writes a tensor to an element of an array.",
                .inputs = {"handle: resource", "index: int32", "value: T",
                           "flow_in: float"},
                .outputs = {"flow_out: float"},
                .attrs = {"T: type"},
                .stateful = true,
                .shape = WriteShape,
                .work = works::Nothing},
               {NotFoldableOnCpu()});

  registry.Add(
      {.name = "TensorArrayReadV3",
       .doc = "Returns an element of an array of tensors.",
       .inputs = {"handle: resource", "index: int32", "flow_in: float"},
       .outputs = {"value: dtype"},
       .attrs = {"dtype: type"},
       .stateful = true,
       .shape = ReadShape,
       .work = works::Nothing},
      {NotFoldableOnCpu()});
}

void AddManyElements(OpRegistry& registry) {
  registry.Add(
      {.name = "TensorArrayGatherV3",
       .doc = "Stacks the elements of an array at the given indices along a "
              "new first axis.",
       .inputs = {"handle: resource", "indices: int32", "flow_in: float"},
       .outputs = {"value: dtype"},
       .attrs = {"dtype: type",
                 "element_shape: shape = { unknown_rank: true }"},
       .stateful = true,
       .shape = GatherShape,
       .work = works::Take},
      {NotFoldable(ExpensiveOnCpu())});

  registry.Add({.name = "TensorArrayScatterV3",
                .doc = "Writes the slices of a tensor along the first axis to "
                       "the given elements of an array.",
                .inputs = {"handle: resource", "indices: int32", "value: T",
                           "flow_in: float"},
                .outputs = {"flow_out: float"},
                .attrs = {"T: type"},
                .stateful = true,
                .shape = ScatterShape,
                .work = works::Nothing},
               {NotFoldableOnCpu()});

  registry.Add(
      {.name = "TensorArrayConcatV3",
       .doc = "Concatenates the elements of an array along their first axis, "
              "and returns its extents, too.",
       .inputs = {"handle: resource", "flow_in: float"},
       .outputs = {"value: dtype", "lengths: int64"},
       .attrs = {"dtype: type",
                 "element_shape_except0: shape = { unknown_rank: true }"},
       .stateful = true,
       .shape = ConcatShape,
       .work = works::Take},
      {NotFoldable(ExpensiveOnCpu())});

  registry.Add({.name = "TensorArraySplitV3",
                .doc = "Writes the parts of a tensor that have the given "
                       "lengths to the elements of an array.",
                .inputs = {"handle: resource", "value: T", "lengths: int64",
                           "flow_in: float"},
                .outputs = {"flow_out: float"},
                .attrs = {"T: type"},
                .stateful = true,
                .shape = SplitShape,
                .work = works::Nothing},
               {NotFoldableOnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddArrays(registry);
  AddReadsAndWrites(registry);
  AddManyElements(registry);
}

}  // namespace leat::ops::tensor_array
