// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Shape, ShapeN, Size and Rank.
#include <algorithm>
#include <optional>

#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::shape {
namespace {

// Records that output i is the shape of input i.
absl::Status SetShapeOf(InferenceContext& context, int i) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("out_type"));
  const PartialShape& shape = context.input(i);
  if (!shape.rank_known()) {
    context.set_output(i, PartialShape::UnknownOfRank(1));
    return absl::OkStatus();
  }
  context.set_output(i, Shape{shape.rank()});
  PartialValues known;
  for (const int64_t extent : shape.dims()) {
    known.values.push_back(extent == PartialShape::kUnknown
                               ? std::nullopt
                               : std::optional<int64_t>(extent));
  }
  SetPartialValues(context, i, dtype, known);
  return absl::OkStatus();
}

absl::Status ShapeShape(InferenceContext& context) {
  return SetShapeOf(context, 0);
}

absl::Status ShapeNShape(InferenceContext& context) {
  const int count = std::min(context.num_inputs(), context.num_outputs());
  for (int i = 0; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(SetShapeOf(context, i));
  }
  return absl::OkStatus();
}

absl::Status SizeShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("out_type"));
  context.set_output(0, Shape{});
  LEAT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(context.input(0)));
  if (count == PartialShape::kUnknown) return absl::OkStatus();
  SetPartialValues(context, 0, dtype, {.is_scalar = true, .values = {count}});
  return absl::OkStatus();
}

absl::Status RankShape(InferenceContext& context) {
  context.set_output(0, Shape{});
  if (!context.input(0).rank_known()) return absl::OkStatus();
  context.set_output_value(0, Tensor::Scalar<int32_t>(context.input(0).rank()));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Shape",
                .doc = "Returns the shape of a tensor.",
                .inputs = {"input: T"},
                .outputs = {"output: out_type"},
                .attrs = {"T: type", "out_type: {int32, int64} = int32"},
                .shape = ShapeShape,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"output"})});

  registry.Add(
      {.name = "ShapeN",
       .doc = "Returns the shapes of several tensors.",
       .inputs = {"input: N * T"},
       .outputs = {"output: N * out_type"},
       .attrs = {"N: int", "T: type", "out_type: {int32, int64} = int32"},
       .shape = ShapeNShape,
       .work = works::Nothing},
      {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"output"})});

  registry.Add({.name = "Size",
                .doc = "Returns the number of elements of a tensor.",
                .inputs = {"input: T"},
                .outputs = {"output: out_type"},
                .attrs = {"T: type", "out_type: {int32, int64} = int32"},
                .shape = SizeShape,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"output"})});

  registry.Add({.name = "Rank",
                .doc = "Returns the number of axes of a tensor.",
                .inputs = {"input: T"},
                .outputs = {"output: int32"},
                .attrs = {"T: type"},
                .shape = RankShape,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"output"})});
}

}  // namespace leat::ops::shape
