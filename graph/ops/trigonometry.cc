// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the trigonometric and hyperbolic functions and their inverses, except
// for Sin, Cos and Tanh (unary_math.cc) and Atan2 (binary_math.cc).
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::trigonometry {
namespace {

struct Function {
  absl::string_view name;
  absl::string_view doc;
};

constexpr Function kFunctions[] = {
    {"Tan", "Returns the tangent of x, element by element."},
    {"Asin", "Returns the angles, in radians, whose sine is x."},
    {"Acos", "Returns the angles, in radians, whose cosine is x."},
    {"Atan", "Returns the angles, in radians, whose tangent is x."},
    {"Sinh", "Returns the hyperbolic sine of x, element by element."},
    {"Cosh", "Returns the hyperbolic cosine of x, element by element."},
    {"Asinh", "Returns the numbers whose hyperbolic sine is x."},
    {"Acosh", "Returns the numbers whose hyperbolic cosine is x."},
    {"Atanh", "Returns the numbers whose hyperbolic tangent is x."},
};

}  // namespace

void Register(OpRegistry& registry) {
  for (const Function& function : kFunctions) {
    registry.Add(
        {.name = std::string(function.name),
         .doc = function.doc,
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: {bfloat16, half, float, double, complex64, complex128}"},
         .shape = shapes::Unchanged,
         .work = works::Transcendental},
        {OnCpu({{"T", kFloatsAndComplexes.dtypes()}}),
         OnGpu({{"T", kFloats.dtypes()}})});
  }
}

}  // namespace leat::ops::trigonometry
