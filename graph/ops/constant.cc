// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Const, which returns a tensor that is stored in the graph.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::constant {
namespace {

absl::Status ConstShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(Tensor value, context.Attr<Tensor>("value"));
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  if (value.dtype() != dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("attr 'value' is ", Name(value.dtype()),
                     " but attr 'dtype' is ", Name(dtype)));
  }
  context.set_output(0, value.shape());
  context.set_output_value(0, std::move(value));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Const",
                .doc = "Returns a tensor that is stored in the graph.",
                .outputs = {"output: dtype"},
                .attrs = {"value: tensor", "dtype: type"},
                .shape = ConstShape,
                .work = works::Nothing},
               {QuickOnCpu(), RoutesOnGpu()});
}

}  // namespace leat::ops::constant
