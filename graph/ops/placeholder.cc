// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the placeholders, whose values are fed in each step.
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::placeholder {
namespace {

absl::Status PlaceholderShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Gives the output the shape in the attr, even if more is known of the shape of
// the default value. This is necessary, because a fed value may have another
// shape than the default value.
absl::Status PlaceholderWithDefaultShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  LEAT_RETURN_IF_ERROR(Merge(context.input(0), shape).status());
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Placeholder",
       .doc = "Stands for a tensor that every step is fed with.",
       .outputs = {"output: dtype"},
       .attrs = {"dtype: type", "shape: shape = { unknown_rank: true }"},
       .shape = PlaceholderShape,
       .work = works::Nothing},
      {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "PlaceholderV2",
                .doc = "Stands for a tensor of the given shape that every step "
                       "is fed with.",
                .outputs = {"output: dtype"},
                .attrs = {"dtype: type", "shape: shape"},
                .shape = PlaceholderShape,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "PlaceholderWithDefault",
                .doc = "Returns its input in every step that is not fed with "
                       "another tensor.",
                .inputs = {"input: dtype"},
                .outputs = {"output: dtype"},
                .attrs = {"dtype: type", "shape: shape"},
                .shape = PlaceholderWithDefaultShape,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});
}

}  // namespace leat::ops::placeholder
