// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ops that compute gradients of element-wise functions. These ops
// compute the gradient from the result of the function, and not from its
// argument.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::unary_math_gradients {
namespace {

OpSpec Gradient(absl::string_view name, absl::string_view doc,
                absl::string_view types, WorkFunction work) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = {"y: T", "dy: T"};
  spec.outputs = {"z: T"};
  spec.attrs = {absl::StrCat("T: ", types)};
  spec.shape = shapes::Unchanged;
  spec.work = work;
  return spec;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      Gradient("ReciprocalGrad",
               "Computes the gradient of Reciprocal from its output, as -dy * "
               "y * y.",
               "{bfloat16, half, float, double, complex64, complex128}",
               works::PerElement<3>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("InvGrad",
               "Computes the gradient of Inv from its output, as -dy * y * y.",
               "{bfloat16, half, float, double, complex64, complex128}",
               works::PerElement<3>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient(
          "SqrtGrad",
          "Computes the gradient of Sqrt from its output, as dy / (2 * y).",
          "{bfloat16, half, float, double, complex64, complex128}",
          works::PerElement<2>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("RsqrtGrad",
               "Computes the gradient of Rsqrt from its output, as -dy * y * y "
               "* y / 2.",
               "{bfloat16, half, float, double, complex64, complex128}",
               works::PerElement<4>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient("SigmoidGrad",
               "Computes the gradient of Sigmoid from its output, as dy * y * "
               "(1 - y).",
               "{bfloat16, half, float, double, complex64, complex128}",
               works::PerElement<3>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Gradient(
          "TanhGrad",
          "Computes the gradient of Tanh from its output, as dy * (1 - y * y).",
          "{bfloat16, half, float, double, complex64, complex128}",
          works::PerElement<3>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::unary_math_gradients
