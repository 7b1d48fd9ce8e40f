// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines BroadcastTo, and BroadcastArgs and BroadcastGradientArgs, which
// compute with shapes. Gradients of ops that broadcast use
// BroadcastGradientArgs.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::broadcast {
namespace {

absl::Status BroadcastToShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape output, ShapeInput(context, 1));
  const PartialShape& input = context.input(0);
  if (output.rank_known() && input.rank_known()) {
    const int extra = output.rank() - input.rank();
    if (extra < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape must be at most rank ", output.rank(),
                       " but is rank ", input.rank()));
    }
    for (int i = 0; i < input.rank(); ++i) {
      if (!input.dim_known(i) || input.dim(i) == 1) continue;
      // A known extent other than 1 stays the same.
      LEAT_RETURN_IF_ERROR(
          MergeExtents(input.dim(i), output.dim(i + extra)).status());
    }
  }
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status BroadcastArgsShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape a, context.WithRank(0, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape b, context.WithRank(1, 1));
  const bool is_known = a.dim_known(0) && b.dim_known(0);
  return SetOutput(
      {is_known ? std::max(a.dim(0), b.dim(0)) : PartialShape::kUnknown},
      context);
}

absl::Status BroadcastGradientArgsShape(InferenceContext& context) {
  for (int i = 0; i < 2; ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 1).status());
    context.set_output(i, PartialShape::UnknownOfRank(1));
  }
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "BroadcastTo",
                .doc = "Repeats a tensor along new axes and those of extent 1, "
                       "so that it gets a given shape.",
                .inputs = {"input: T", "shape: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "Tidx: {int32, int64} = int32"},
                .shape = BroadcastToShape,
                .work = works::Move},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"shape"}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "BroadcastArgs",
                .doc = "Returns the shape to which operands of the shapes s0 "
                       "and s1 are broadcast.",
                .inputs = {"s0: T", "s1: T"},
                .outputs = {"r0: T"},
                .attrs = {"T: {int32, int64} = int32"},
                .shape = BroadcastArgsShape},
               {OnCpu(), HostOnGpu()});

  registry.Add({.name = "BroadcastGradientArgs",
                .doc = "Returns the axes over which gradients of operands of "
                       "the shapes s0 and s1 have to be summed.",
                .inputs = {"s0: T", "s1: T"},
                .outputs = {"r0: T", "r1: T"},
                .attrs = {"T: {int32, int64} = int32"},
                .shape = BroadcastGradientArgsShape},
               {OnCpu(), HostOnGpu()});
}

}  // namespace leat::ops::broadcast
