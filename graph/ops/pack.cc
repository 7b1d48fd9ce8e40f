// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Pack, which stacks tensors along a new axis, and Unpack, which does
// the reverse.
#include <optional>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::pack {
namespace {

// Records the known values of scalars that are stacked into a vector.
absl::Status SetPackedValues(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("T"));
  PartialValues known;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const std::optional<PartialValues> scalar = PartialInput(context, i);
    known.values.push_back(scalar.has_value() && scalar->values.size() == 1
                               ? scalar->values[0]
                               : std::nullopt);
  }
  SetPartialValues(context, 0, dtype, known);
  return absl::OkStatus();
}

absl::Status PackShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t axis, context.Attr<int64_t>("axis"));
  PartialShape merged;
  for (int i = context.num_inputs() - 1; i >= 0; --i) {
    LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, context.input(i)));
  }
  if (!merged.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int position,
                        NormalizeAxis(axis, merged.rank() + 1));
  Dims dims(merged.dims().begin(), merged.dims().end());
  dims.insert(dims.begin() + position, context.num_inputs());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Create(dims));
  context.set_output(0, std::move(shape));
  if (merged.rank() == 0) return SetPackedValues(context);
  return absl::OkStatus();
}

absl::Status UnpackShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t axis, context.Attr<int64_t>("axis"));
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("T"));
  const PartialShape& input = context.input(0);
  if (!input.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int position, NormalizeAxis(axis, input.rank()));
  LEAT_RETURN_IF_ERROR(
      MergeExtents(input.dim(position), context.num_outputs()).status());
  Dims dims(input.dims().begin(), input.dims().end());
  dims.erase(dims.begin() + position);
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, PartialShape::Create(dims));
  const std::optional<PartialValues> known = PartialInput(context, 0);
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, shape);
    const auto index = static_cast<size_t>(i);
    if (!known.has_value() || index >= known->values.size()) continue;
    SetPartialValues(context, i, dtype,
                     {.is_scalar = true, .values = {known->values[index]}});
  }
  return absl::OkStatus();
}

// Slices along the first axis share the bytes of the input.
Work UnpackWork(const WorkContext& context) {
  const int rank = context.input(0).shape.rank();
  const int64_t axis = context.attrs().Get<int64_t>("axis").value_or(0);
  return axis == 0 || axis == -rank ? Work() : works::Move(context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Pack",
                .doc = "Stacks tensors of the same shape along a new axis.",
                .inputs = {"values: N * T"},
                .outputs = {"output: T"},
                .attrs = {"N: int", "T: type", "axis: int = 0"},
                .shape = PackShape,
                .work = works::Move},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "Unpack",
                .doc = "Takes a tensor apart into its slices along an axis, "
                       "which they do not have any more.",
                .inputs = {"value: T"},
                .outputs = {"output: num * T"},
                .attrs = {"num: int >= 0", "T: type", "axis: int = 0"},
                .shape = UnpackShape,
                .work = UnpackWork},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::pack
