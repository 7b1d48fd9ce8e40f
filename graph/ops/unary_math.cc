// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the functions of one number, element by element.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::unary_math {
namespace {

OpSpec Unary(absl::string_view name, absl::string_view types) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.inputs = {"x: T"};
  spec.outputs = {"y: T"};
  spec.attrs = {absl::StrCat("T: ", types)};
  spec.shape = shapes::Unchanged;
  return spec;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(Unary("Neg",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", (kFloats + kSignedInts).dtypes()}})});
  registry.Add(
      Unary("Square",
            "{bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
            "uint16, uint32, uint64, complex64, complex128}"),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(
      Unary("Abs",
            "{bfloat16, half, float, double, int8, int16, int32, int64}"),
      {OnCpu({{"T", (kFloats + kSignedInts).dtypes()}})});
  registry.Add(Unary("Sign",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", (kFloats + kSignedInts).dtypes()}})});
  registry.Add(Unary("Reciprocal",
                     "{bfloat16, half, float, double, int8, int16, int32, "
                     "int64, complex64, complex128}"),
               {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Sqrt", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Rsqrt", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Exp", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Log", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Log1p", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Sin", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Cos", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(Unary("Floor", "{bfloat16, half, float, double}"),
               {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(Unary("Sigmoid",
                     "{bfloat16, half, float, double, complex64, complex128}"),
               {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Unary("Tanh", "{bfloat16, half, float, double, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::unary_math
