// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops for gradients of element-wise functions whose gradients are
// computed from their results.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::unary_math_gradients {
namespace {

OpSpec Gradient(absl::string_view name, absl::string_view types) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.inputs = {"y: T", "dy: T"};
  spec.outputs = {"z: T"};
  spec.attrs = {absl::StrCat("T: ", types)};
  spec.shape = shapes::Unchanged;
  return spec;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      Gradient("ReciprocalGrad",
               "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("SqrtGrad",
               "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("RsqrtGrad",
               "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("SigmoidGrad",
               "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("TanhGrad",
               "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::unary_math_gradients
