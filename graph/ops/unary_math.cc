// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that compute a function of each element of a tensor.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::unary_math {
namespace {

OpSpec Unary(absl::string_view name, absl::string_view doc,
             absl::string_view types, WorkFunction work = nullptr) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = {"x: T"};
  spec.outputs = {"y: T"};
  spec.attrs = {absl::StrCat("T: ", types)};
  spec.shape = shapes::Unchanged;
  spec.work = work;
  return spec;
}

void AddNegAndOthers(OpRegistry& registry) {
  registry.Add(Unary("Neg", "Returns -x, element by element.",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", (kFloatsAndComplexes + kSignedInts).dtypes()}}),
                OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Unary("Square", "Returns the square of x, element by element.",
            "{bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
            "uint16, uint32, uint64, complex64, complex128}"),
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Unary("Abs", "Returns the absolute value of x, element by element.",
            "{bfloat16, half, float, double, int8, int16, int32, int64}"),
      {OnCpu({{"T", (kFloats + kSignedInts).dtypes()}}),
       OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(Unary("Sign",
                     "Returns -1, 0 or 1 for x that is negative, zero or "
                     "positive, element by element.",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", (kFloatsAndComplexes + kSignedInts).dtypes()}}),
                OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(Unary("Reciprocal", "Returns 1 / x, element by element.",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
}

void AddSqrtAndOthers(OpRegistry& registry) {
  registry.Add(
      Unary("Sqrt", "Returns the square root of x, element by element.",
            "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Rsqrt",
            "Returns 1 divided by the square root of x, element by element.",
            "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(Unary("Exp", "Returns e to the power of x, element by element.",
                     "{bfloat16, half, float, double, complex64, complex128}",
                     works::Transcendental),
               {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Log", "Returns the natural logarithm of x, element by element.",
            "{bfloat16, half, float, double, complex64, complex128}",
            works::Transcendental),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Log1p",
            "Returns the natural logarithm of 1 + x, element by element.",
            "{bfloat16, half, float, double, complex64, complex128}",
            works::Transcendental),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
}

void AddSinAndOthers(OpRegistry& registry) {
  registry.Add(Unary("Sin", "Returns the sine of x, element by element.",
                     "{bfloat16, half, float, double, complex64, complex128}",
                     works::Transcendental),
               {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(Unary("Cos", "Returns the cosine of x, element by element.",
                     "{bfloat16, half, float, double, complex64, complex128}",
                     works::Transcendental),
               {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Floor", "Returns the elements of x rounded down.",
            "{bfloat16, half, float, double}"),
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Sigmoid", "Returns 1 / (1 + exp(-x)), element by element.",
            "{bfloat16, half, float, double, complex64, complex128}",
            works::Transcendental),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Tanh", "Returns the hyperbolic tangent of x, element by element.",
            "{bfloat16, half, float, double, complex64, complex128}",
            works::Transcendental),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
}

void AddRoundAndOthers(OpRegistry& registry) {
  registry.Add(Unary("Inv", "Returns 1 divided by x, element by element.",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Ceil", "Returns the elements of x rounded up.",
            "{bfloat16, half, float, double}"),
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(Unary("Round",
                     "Returns the elements of x rounded to the nearest "
                     "integer, and halves to the even one.",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", (kFloats + kIndices).dtypes()}}),
                OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(Unary("Rint",
                     "Returns the integers nearest to the elements of x; where "
                     "two are, the even one.",
                     "{bfloat16, half, float, double}"),
               {OnCpu({{"T", kFloat32And64.dtypes()}}),
                OnGpu({{"T", kFloat32And64.dtypes()}})});
  registry.Add(Unary("Expm1",
                     "Returns exp(x) - 1, element by element, exactly even "
                     "where x is near 0.",
                     "{bfloat16, half, float, double, complex64, complex128}",
                     works::Transcendental),
               {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Erf", "Returns the error function of x, element by element.",
            "{bfloat16, half, float, double}", works::Transcendental),
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Erfc",
            "Returns 1 minus the error function of x, element by element.",
            "{bfloat16, half, float, double}", works::Transcendental),
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddNegAndOthers(registry);
  AddSqrtAndOthers(registry);
  AddSinAndOthers(registry);
  AddRoundAndOthers(registry);
}

}  // namespace leat::ops::unary_math
