// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines StridedSlice (x[a:b:c, ..., None]) and the op of its gradient.
#include <optional>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/strided_slice.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/strided_slice_attrs.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::strided_slice {
namespace {

// Returns the values of the index vector in input `i`, or nothing if a value is
// unknown.
std::optional<Dims> KnownIndices(const InferenceContext& context, int i) {
  const Tensor* value = context.input_value(i);
  if (value == nullptr) return std::nullopt;
  absl::StatusOr<Dims> indices = GetIndices(*value, "a slice index");
  if (!indices.ok()) return std::nullopt;
  return *std::move(indices);
}

absl::StatusOr<StridedSliceSpec> MakeSpec(const InferenceContext& context,
                                          int first, Dims strides) {
  StridedSliceSpec spec;
  spec.begin = KnownIndices(context, first);
  spec.end = KnownIndices(context, first + 1);
  spec.strides = std::move(strides);
  LEAT_ASSIGN_OR_RETURN(spec.masks, ReadStridedSliceMasks(context.attrs()));
  return spec;
}

// Checks that begin, end and strides are vectors of one length. They are three
// consecutive inputs. Input `first` is begin.
absl::Status CheckIndexShapes(const InferenceContext& context, int first) {
  PartialShape merged;
  for (int i = first; i < first + 3; ++i) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape shape, context.WithRank(i, 1));
    LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, shape));
  }
  return absl::OkStatus();
}

// Records the values of the output if the input is a vector of which some
// values are known. Examples are shape(x)[1:] and shape(x)[0].
void SetSlicedValues(InferenceContext& context, const StridedSliceBox& box,
                     DType dtype) {
  const std::optional<PartialValues> input = PartialInput(context, 0);
  if (!input.has_value() || input->is_scalar || box.begin.size() != 1 ||
      !box.output.rank_known() || box.output.rank() > 1 ||
      !box.processed.IsFullyKnown()) {
    return;
  }
  // If begin or end is unknown, the position of the slice is unknown, even if
  // its extent is known.
  if (context.input_value(1) == nullptr || context.input_value(2) == nullptr) {
    return;
  }
  PartialValues known;
  known.is_scalar = box.output.rank() == 0;
  for (int64_t i = 0; i < box.processed.dim(0); ++i) {
    const int64_t index = box.begin[0] + i * box.stride[0];
    if (index < 0 || index >= static_cast<int64_t>(input->values.size())) {
      return;
    }
    known.values.push_back(input->values[static_cast<size_t>(index)]);
  }
  if (known.is_scalar && known.values.size() != 1) return;
  SetPartialValues(context, 0, dtype, known);
}

absl::Status StridedSliceShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("T"));
  LEAT_RETURN_IF_ERROR(CheckIndexShapes(context, 1));
  std::optional<Dims> strides = KnownIndices(context, 3);
  if (!strides.has_value() || !context.input(0).rank_known()) {
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const StridedSliceSpec spec,
                        MakeSpec(context, 1, *std::move(strides)));
  LEAT_ASSIGN_OR_RETURN(const StridedSliceBox box,
                        ResolveStridedSlice(spec, context.input(0)));
  context.set_output(0, box.output);
  SetSlicedValues(context, box, dtype);
  return absl::OkStatus();
}

absl::Status StridedSliceGradShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckIndexShapes(context, 1));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context, 0));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// The value is broadcast to the slice when the op runs.
absl::Status StridedSliceAssignShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckIndexShapes(context, 1));
  if (context.num_outputs() > 0) context.set_output(0, context.input(0));
  return absl::OkStatus();
}

// The kernel does not share the bytes of an input that is more than this many
// times as large as the slice.
constexpr int64_t kMaxWaste = 8;

// Returns true if the slice is probably a range of rows, or one row. The kernel
// shares the bytes of the input then.
bool IsShared(const Shape& input, const Shape& slice) {
  if (input.rank() == 0 || slice.num_elements() == 0) return false;
  const auto row = input.dims().subspan(1);
  const bool is_one_row = slice.dims() == row;
  const bool is_range =
      slice.rank() == input.rank() && slice.dims().subspan(1) == row;
  return (is_one_row || is_range) &&
         input.num_elements() / slice.num_elements() <= kMaxWaste;
}

Work SliceWork(const WorkContext& context) {
  if (IsShared(context.input(0).shape, context.output(0).shape)) return {};
  return works::Take(context);
}

// Copies the value, which may be broadcast, and then to the variable.
Work AssignWork(const WorkContext& context) {
  const double bytes = context.input(4).num_bytes();
  return {.bytes_read = 2 * bytes,
          .bytes_written = 2 * bytes,
          .scratch_bytes = bytes};
}

void AddAssign(OpRegistry& registry) {
  OpSpec spec = {
      .name = "StridedSliceAssign",
      .doc = "Sets a slice of the variable behind a reference to a value.",
      .inputs = {"ref: Ref(T)", "begin: Index", "end: Index", "strides: Index",
                 "value: T"},
      .outputs = {"output_ref: Ref(T)"},
      .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0",
                "end_mask: int = 0", "ellipsis_mask: int = 0",
                "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
      .shape = StridedSliceAssignShape,
      .work = AssignWork};
  const KernelSignature kernel =
      NotFoldable(OnCpu({{"T", WithStoredTypes(kMovable)}}));
  registry.Add(spec, {kernel});
  spec.name = "ResourceStridedSliceAssign";
  spec.doc = "Sets a slice of the variable of a handle to a value.";
  spec.inputs[0] = "ref: resource";
  spec.outputs = {};
  spec.stateful = true;
  registry.Add(std::move(spec), {kernel});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddAssign(registry);
  registry.Add(
      {.name = "StridedSlice",
       .doc = "Takes the elements from begin to end, without end, by steps of "
              "strides along each axis.",
       .inputs = {"input: T", "begin: Index", "end: Index", "strides: Index"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Index: {int16, int32, int64}",
                 "begin_mask: int = 0", "end_mask: int = 0",
                 "ellipsis_mask: int = 0", "new_axis_mask: int = 0",
                 "shrink_axis_mask: int = 0"},
       .shape = StridedSliceShape,
       .work = SliceWork},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                    {"begin", "end", "strides"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "StridedSliceGrad",
       .doc = "Computes the gradient of StridedSlice: zeros, with dy where the "
              "slice was.",
       .inputs = {"shape: Index", "begin: Index", "end: Index",
                  "strides: Index", "dy: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0",
                 "end_mask: int = 0", "ellipsis_mask: int = 0",
                 "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
       .shape = StridedSliceGradShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                    {"shape", "begin", "end", "strides"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::strided_slice
