// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that do arithmetic on two tensors, element by element, with
// broadcasting.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::binary_math {
namespace {

OpSpec Binary(absl::string_view name, absl::string_view doc,
              absl::string_view types, WorkFunction work = nullptr) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = {"x: T", "y: T"};
  spec.outputs = {"z: T"};
  spec.attrs = {absl::StrCat("T: ", types)};
  spec.shape = shapes::BroadcastBinary;
  spec.work = work;
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

void AddSumsAndProducts(OpRegistry& registry) {
  registry.Add(Binary("Add",
                      "Adds x and y, element by element, or joins them if they "
                      "are strings.",
                      "{bfloat16, half, float, double, uint8, int8, int16, "
                      "int32, int64, complex64, complex128, string}"),
               {OnCpu({{"T", (kNumbersAndComplexes + kStringOnly).dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Aggregate(Commutative(
          Binary("AddV2", "Adds x and y, element by element.",
                 "{bfloat16, half, float, double, uint8, uint16, uint32, "
                 "uint64, int8, int16, int32, int64, complex64, complex128}"))),
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Binary("Sub", "Subtracts y from x, element by element.",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, int64, complex64, complex128, uint32, uint64}"),
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Commutative(
          Binary("Mul", "Multiplies x and y, element by element.",
                 "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
                 "int32, uint32, uint64, int64, complex64, complex128}")),
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddQuotients(OpRegistry& registry) {
  registry.Add(
      Binary("Div",
             "Divides x by y, element by element, and rounds quotients of "
             "integers towards 0.",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64, complex64, complex128}"),
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}}), HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Binary(
          "FloorDiv",
          "Divides x by y, element by element, and rounds the quotients down.",
          "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
          "int32, uint32, uint64, int64, complex64, complex128}",
          works::PerElement<2>),
      {OnCpu({{"T", kNumbers.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Binary("FloorMod",
             "Returns the remainder of FloorDiv, element by element, "
             "which has the sign of y.",
             "realnumbertype", works::PerElement<4>),
      {OnCpu({{"T", kNumbers.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddMaximumAndOthers(OpRegistry& registry) {
  registry.Add(Binary("Maximum",
                      "Returns the larger one of x and y, element by element.",
                      "realnumbertype"),
               {OnCpu({{"T", kNumbers.dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(Binary("Minimum",
                      "Returns the smaller one of x and y, element by element.",
                      "realnumbertype"),
               {OnCpu({{"T", kNumbers.dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Commutative(Binary("SquaredDifference",
                         "Returns the square of x - y, element by element.",
                         "{bfloat16, half, float, double, int32, "
                         "int64, complex64, complex128}",
                         works::PerElement<2>)),
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
  registry.Add(
      Binary("RealDiv", "Divides x by y, element by element, as real numbers.",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64, complex64, complex128}"),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      Binary("DivNoNan",
             "Divides x by y, element by element, and returns 0 where y is 0.",
             "{half, float, bfloat16, double, complex64, complex128}",
             works::PerElement<2>),
      {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(Binary("Pow", "Raises x to the power of y, element by element.",
                      "{bfloat16, float, half, double, int8, int16, int32, "
                      "int64, complex64, complex128}",
                      works::PerElement<2 * kTranscendentalFlops>),
               {OnCpu({{"T", (kFloatsAndComplexes + kSignedInts).dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
}

void AddTruncateDivAndOthers(OpRegistry& registry) {
  registry.Add(
      Binary("TruncateDiv",
             "Divides x by y, element by element, and rounds the quotients "
             "towards 0.",
             "{bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64, complex64, complex128}"),
      {OnCpu({{"T", kNumbers.dtypes()}})});
  registry.Add(Binary("TruncateMod",
                      "Returns the remainder of TruncateDiv, element by "
                      "element, which has the sign of x.",
                      "{int32, int64, bfloat16, half, float, double}"),
               {OnCpu({{"T", (kFloat32And64 + kIndices).dtypes()}})});
  registry.Add(Binary("Mod",
                      "Returns the remainder of x / y, element by element, "
                      "with the sign of x as in C.",
                      "{int32, int64, half, half, bfloat16, float, double}"),
               {OnCpu({{"T", (kFloat32And64 + kIndices).dtypes()}})});
}

// The result is 0 where one of the inputs is 0, whatever the other one is.
void AddZeroProducts(OpRegistry& registry) {
  constexpr absl::string_view kTypes =
      "{half, bfloat16, float, double, complex64, complex128}";
  const std::vector<KernelSignature> signatures = {
      OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
      OnGpu({{"T", kFloats.dtypes()}})};
  registry.Add(
      Binary("MulNoNan",
             "Multiplies x and y, element by element, and returns 0 where y is "
             "0.",
             "{bfloat16, half, float, double, complex64, complex128}",
             works::PerElement<2>),
      signatures);
  registry.Add(
      Binary("Xdivy",
             "Divides x by y, element by element, and returns 0 where x is 0.",
             kTypes, works::PerElement<2>),
      signatures);
  registry.Add(
      Binary("Xlogy",
             "Returns x * log(y), element by element, and 0 where x is 0.",
             kTypes, works::Transcendental),
      signatures);
  registry.Add(
      Binary("Xlog1py",
             "Returns x * log(1 + y), element by element, and 0 where x is 0.",
             kTypes, works::Transcendental),
      signatures);
}

void AddAtan2AndNextAfter(OpRegistry& registry) {
  OpSpec atan2 =
      Binary("Atan2", "Returns the angle of the points (x, y), in radians.",
             "{bfloat16, half, float, double}", works::Transcendental);
  atan2.inputs = {"y: T", "x: T"};
  registry.Add(std::move(atan2), {OnCpu({{"T", kFloats.dtypes()}}),
                                  OnGpu({{"T", kFloats.dtypes()}})});
  registry.Add(
      {.name = "NextAfter",
       .doc = "Returns the number next to x1 in the direction of x2, element "
              "by element.",
       .inputs = {"x1: T", "x2: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {double, float} = float"},
       .shape = shapes::BroadcastBinary},
      {OnCpu({{"T", kFloat32And64.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSumsAndProducts(registry);
  AddQuotients(registry);
  AddMaximumAndOthers(registry);
  AddTruncateDivAndOthers(registry);
  AddZeroProducts(registry);
  AddAtan2AndNextAfter(registry);
}

}  // namespace leat::ops::binary_math
