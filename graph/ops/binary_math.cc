// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the arithmetic ops on two tensors, element by element, with
// broadcasting.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::binary_math {
namespace {

OpSpec Binary(absl::string_view name, absl::string_view types) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.inputs = {"x: T", "y: T"};
  spec.outputs = {"z: T"};
  spec.attrs = {absl::StrCat("T: ", types)};
  spec.shape = shapes::BroadcastBinary;
  return spec;
}

OpSpec Commutative(OpSpec spec) {
  spec.commutative = true;
  return spec;
}

OpSpec Aggregate(OpSpec spec) {
  spec.aggregate = true;
  return spec;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(Binary("Add",
                      "{bfloat16, half, float, double, uint8, int8, int16, "
                      "int32, int64, complex64, complex128, string}"),
               {OnCpu({{"T", (kNumbers + kStringOnly).dtypes()}})});
  registry.Add(
      Aggregate(Commutative(
          Binary("AddV2",
                 "{bfloat16, half, float, double, uint8, uint16, uint32, "
                 "uint64, int8, int16, int32, int64, complex64, complex128}"))),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(
      Binary("Sub",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, int64, complex64, complex128, uint32, uint64}"),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(
      Commutative(
          Binary("Mul",
                 "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
                 "int32, uint32, uint64, int64, complex64, complex128}")),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(
      Binary("Div",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64, complex64, complex128}"),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(
      Binary("FloorDiv",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64, complex64, complex128}"),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(Binary("FloorMod", "realnumbertype"),
               {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(Binary("Maximum", "realnumbertype"),
               {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(Binary("Minimum", "realnumbertype"),
               {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(Commutative(Binary("SquaredDifference",
                                  "{bfloat16, half, float, double, int32, "
                                  "int64, complex64, complex128}")),
               {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(
      Binary("RealDiv",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64, complex64, complex128}"),
      {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(Binary("DivNoNan",
                      "{half, float, bfloat16, double, complex64, complex128}"),
               {OnCpu({{"T", kFloats.dtypes()}})});
  registry.Add(Binary("Pow",
                      "{bfloat16, float, half, double, int8, int16, int32, "
                      "int64, complex64, complex128}"),
               {OnCpu({{"T", (kFloats + kSignedInts).dtypes()}})});
}

}  // namespace leat::ops::binary_math
