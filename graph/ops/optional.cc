// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on optionals: variants that hold some values or none.
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/variants/optional.h"
#include "leat/core/wire_names.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::optional {
namespace {

absl::Status OptionalGetValueShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      const std::vector<PartialShape> shapes,
      context.Attr<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != context.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_shapes has ", shapes.size(), " shapes for ",
                     context.num_outputs(), " outputs"));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    context.set_output(static_cast<int>(i), shapes[i]);
  }
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.AddVariant(kOptionalTypeName, &OptionalValue::Decode);

  registry.Add({.name = "OptionalFromValue",
                .doc = "Returns an optional that holds the given tensors.",
                .inputs = {"components: Toutput_types"},
                .outputs = {"optional: variant"},
                .attrs = {"Toutput_types: list(type)"},
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "OptionalNone",
                .doc = "Returns an optional that holds no value.",
                .outputs = {"optional: variant"},
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "OptionalHasValue",
                .doc = "Returns whether an optional holds a value.",
                .inputs = {"optional: variant"},
                .outputs = {"has_value: bool"},
                .shape = shapes::Scalar},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"has_value"})});

  registry.Add(
      {.name = "OptionalGetValue",
       .doc = "Returns the tensors that an optional holds, and fails if it "
              "holds no value.",
       .inputs = {"optional: variant"},
       .outputs = {"components: output_types"},
       .attrs = {"output_types: list(type)", "output_shapes: list(shape) >= 1"},
       .shape = OptionalGetValueShape},
      {OnCpu(), RoutesOnGpu()});
}

}  // namespace leat::ops::optional
