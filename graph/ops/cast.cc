// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Cast, which converts values to another type.
#include <optional>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::cast {
namespace {

absl::Status CastShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType to, context.Attr<DType>("DstT"));
  context.set_output(0, context.input(0));
  // Known values are passed on, because shapes are often computed as int64 and
  // cast to int32, or the other way round.
  const std::optional<PartialValues> known = PartialInput(context, 0);
  if (known.has_value()) SetPartialValues(context, 0, to, *known);
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Cast",
                .doc = "Converts the elements of x to the type DstT.",
                .inputs = {"x: SrcT"},
                .outputs = {"y: DstT"},
                .attrs = {"SrcT: type", "DstT: type", "Truncate: bool = false"},
                .shape = CastShape},
               {OnCpu({{"SrcT", kPlain.dtypes()}, {"DstT", kPlain.dtypes()}}),
                OnGpu({{"SrcT", (kNumbers + kBoolOnly).dtypes()},
                       {"DstT", (kNumbers + kBoolOnly).dtypes()}})});
}

}  // namespace leat::ops::cast
