// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that take complex numbers apart, or make them: Complex, Real,
// Imag, ComplexAbs, Angle and Conj.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::complex {
namespace {

// Returns the spec of an op that computes a real number from each complex one.
// `input` and `output` are the names of its arguments.
OpSpec RealPart(absl::string_view name, absl::string_view doc,
                absl::string_view input = "input",
                absl::string_view output = "output") {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = {absl::StrCat(input, ": T")};
  spec.outputs = {absl::StrCat(output, ": Tout")};
  spec.attrs = {"T: {complex64, complex128} = complex64",
                "Tout: {float, double} = float"};
  spec.shape = shapes::Unchanged;
  return spec;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Complex",
                .doc = "Makes complex numbers of their real and imaginary "
                       "parts, element by element.",
                .inputs = {"real: T", "imag: T"},
                .outputs = {"out: Tout"},
                .attrs = {"T: {float, double} = float",
                          "Tout: {complex64, complex128} = complex64"},
                .shape = shapes::BroadcastBinary},
               {OnCpu({{"T", kFloat32And64.dtypes()}})});
  registry.Add(RealPart("Real", "Returns the real part of each element."),
               {OnCpu({{"T", kComplexes.dtypes()}})});
  registry.Add(RealPart("Imag", "Returns the imaginary part of each element."),
               {OnCpu({{"T", kComplexes.dtypes()}})});
  registry.Add(
      RealPart("ComplexAbs",
               "Returns the absolute value of each complex element.", "x", "y"),
      {OnCpu({{"T", kComplexes.dtypes()}})});
  OpSpec angle = RealPart(
      "Angle", "Returns the angle of each complex element, in radians.");
  angle.work = works::Transcendental;
  registry.Add(std::move(angle), {OnCpu({{"T", kComplexes.dtypes()}})});
  registry.Add({.name = "Conj",
                .doc = "Returns the complex conjugate of each element.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: {complex64, complex128, variant} = complex64"},
                .shape = shapes::Unchanged},
               {OnCpu({{"T", kComplexes.dtypes()}})});
}

}  // namespace leat::ops::complex
