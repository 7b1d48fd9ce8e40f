// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on optionals: variants that hold some values or none.
#include "leat/core/variants/optional.h"
#include "leat/core/wire_names.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops/declared_outputs.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::optional {
void Register(OpRegistry& registry) {
  registry.AddVariant(kOptionalTypeName, &OptionalValue::Decode);

  registry.Add({.name = "OptionalFromValue",
                .doc = "Returns an optional that holds the given tensors.",
                .inputs = {"components: Toutput_types"},
                .outputs = {"optional: variant"},
                .attrs = {"Toutput_types: list(type)"},
                .shape = shapes::Scalar,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "OptionalNone",
                .doc = "Returns an optional that holds no value.",
                .outputs = {"optional: variant"},
                .shape = shapes::Scalar,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "OptionalHasValue",
                .doc = "Returns whether an optional holds a value.",
                .inputs = {"optional: variant"},
                .outputs = {"has_value: bool"},
                .shape = shapes::Scalar,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {}, {"has_value"})});

  registry.Add(
      {.name = "OptionalGetValue",
       .doc = "Returns the tensors that an optional holds, and fails if it "
              "holds no value.",
       .inputs = {"optional: variant"},
       .outputs = {"components: output_types"},
       .attrs = {"output_types: list(type)", "output_shapes: list(shape) >= 1"},
       .shape = DeclaredOutputs,
       .work = works::Nothing},
      {OnCpu(), RoutesOnGpu()});
}

}  // namespace leat::ops::optional
