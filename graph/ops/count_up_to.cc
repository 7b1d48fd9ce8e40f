// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines CountUpTo and ResourceCountUpTo, which count in a variable.
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::count_up_to {
namespace {

absl::Status CountShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

absl::Status ResourceCountShape(InferenceContext& context) {
  const HandleShape* handle = context.input_handle(0);
  if (handle != nullptr) {
    LEAT_RETURN_IF_ERROR(Merge(handle->shape, Shape()).status());
  }
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "CountUpTo",
                .doc = "Returns the count in the variable behind a reference, "
                       "and adds 1 to it up to a limit.",
                .inputs = {"ref: Ref(T)"},
                .outputs = {"output: T"},
                .attrs = {"limit: int", "T: {int32, int64}"},
                .shape = CountShape},
               {NotFoldable(OnCpu({{"T", kIndices.dtypes()}}))});

  registry.Add(
      {.name = "ResourceCountUpTo",
       .doc = "Returns the count in the variable of a handle, and adds "
              "1 to it up to a limit.",
       .inputs = {"resource: resource"},
       .outputs = {"output: T"},
       .attrs = {"limit: int", "T: {int32, int64}"},
       .stateful = true,
       .shape = ResourceCountShape},
      {NotFoldable(OnCpu({{"T", kIndices.dtypes()}}))});
}

}  // namespace leat::ops::count_up_to
