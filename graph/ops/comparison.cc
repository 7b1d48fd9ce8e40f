// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that compare two tensors, element by element, with
// broadcasting, and ApproximateEqual, IsNan, IsInf and IsFinite.
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::comparison {
namespace {

absl::Status EqualShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool strict,
                        context.Attr<bool>("incompatible_shape_error"));
  absl::StatusOr<PartialShape> shape =
      BroadcastPartialShapes(context.input(0), context.input(1));
  if (shape.ok()) {
    context.set_output(0, *std::move(shape));
    return absl::OkStatus();
  }
  // Without incompatible_shape_error, tensors of incompatible shapes count as
  // different, and the output is a scalar.
  if (strict) return shape.status();
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

void AddEqualAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Equal",
                .doc = "Returns whether x == y, element by element.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"z: bool"},
                .attrs = {"T: type", "incompatible_shape_error: bool = true"},
                .commutative = true,
                .shape = EqualShape},
               {OnCpu({{"T", (kPlain + kStringOnly).dtypes()}}),
                OnGpu({{"T", (kRealNumbersOnGpu + kBoolOnly).dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "NotEqual",
                .doc = "Returns whether x != y, element by element.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"z: bool"},
                .attrs = {"T: type", "incompatible_shape_error: bool = true"},
                .commutative = true,
                .shape = EqualShape},
               {OnCpu({{"T", (kPlain + kStringOnly).dtypes()}}),
                OnGpu({{"T", (kRealNumbersOnGpu + kBoolOnly).dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "Less",
                .doc = "Returns whether x < y, element by element.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"z: bool"},
                .attrs = {"T: realnumbertype"},
                .shape = shapes::BroadcastBinary},
               {OnCpu({{"T", kNumbers.dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "LessEqual",
                .doc = "Returns whether x <= y, element by element.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"z: bool"},
                .attrs = {"T: realnumbertype"},
                .shape = shapes::BroadcastBinary},
               {OnCpu({{"T", kNumbers.dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddGreaterAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Greater",
                .doc = "Returns whether x > y, element by element.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"z: bool"},
                .attrs = {"T: realnumbertype"},
                .shape = shapes::BroadcastBinary},
               {OnCpu({{"T", kNumbers.dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "GreaterEqual",
                .doc = "Returns whether x >= y, element by element.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"z: bool"},
                .attrs = {"T: realnumbertype"},
                .shape = shapes::BroadcastBinary},
               {OnCpu({{"T", kNumbers.dtypes()}}),
                OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddIsNanAndOthers(OpRegistry& registry) {
  const auto add = [&](absl::string_view name, absl::string_view doc) {
    registry.Add(
        {.name = std::string(name),
         .doc = doc,
         .inputs = {"x: T"},
         .outputs = {"y: bool"},
         .attrs = {"T: {bfloat16, half, float, double}"},
         .shape = shapes::Unchanged},
        {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
  };
  add("IsNan", "Returns which elements of x are not a number.");
  add("IsInf", "Returns which elements of x are infinite.");
  add("IsFinite", "Returns which elements of x are neither infinite nor NaN.");
  registry.Add(
      {.name = "ApproximateEqual",
       .doc = "Returns whether |x - y| is at most `tolerance`, element by "
              "element.",
       .inputs = {"x: T", "y: T"},
       .outputs = {"z: bool"},
       .attrs = {"T: numbertype", "tolerance: float = 1e-05"},
       .commutative = true,
       .shape = shapes::MergeAll},
      {OnCpu({{"T", kFloat32And64.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddEqualAndOthers(registry);
  AddGreaterAndOthers(registry);
  AddIsNanAndOthers(registry);
}

}  // namespace leat::ops::comparison
