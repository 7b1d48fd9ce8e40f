// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the random ops whose generators advance from step to step.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::random {
namespace {

absl::Status RandomShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context, 0));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status RandomUniformIntShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  return RandomShape(context);
}

void AddRandomUniformAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "RandomUniform",
       .doc =
           "Returns random numbers that are uniformly distributed in [0, 1).",
       .inputs = {"shape: T"},
       .outputs = {"output: dtype"},
       .attrs = {"seed: int = 0", "seed2: int = 0",
                 "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
       .stateful = true,
       .shape = RandomShape,
       .work = works::Generate<25>},
      {NotFoldable(OnCpu({{"dtype", kFloats.dtypes()}})),
       InHostMemory(OnGpu({{"dtype", kFloats.dtypes()}}), {"shape"})});

  registry.Add(
      {.name = "RandomStandardNormal",
       .doc = "Returns normally distributed random numbers with mean 0 and "
              "standard deviation 1.",
       .inputs = {"shape: T"},
       .outputs = {"output: dtype"},
       .attrs = {"seed: int = 0", "seed2: int = 0",
                 "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
       .stateful = true,
       .shape = RandomShape,
       .work = works::Generate<50>},
      {NotFoldable(OnCpu({{"dtype", kFloats.dtypes()}})),
       InHostMemory(OnGpu({{"dtype", kFloats.dtypes()}}), {"shape"})});

  registry.Add(
      {.name = "TruncatedNormal",
       .doc = "Returns random numbers as RandomStandardNormal does, but only "
              "those between -2 and 2.",
       .inputs = {"shape: T"},
       .outputs = {"output: dtype"},
       .attrs = {"seed: int = 0", "seed2: int = 0",
                 "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
       .stateful = true,
       .shape = RandomShape,
       .work = works::Generate<50>},
      {NotFoldable(OnCpu({{"dtype", kFloats.dtypes()}})),
       InHostMemory(OnGpu({{"dtype", kFloats.dtypes()}}), {"shape"})});

  registry.Add({.name = "RandomUniformInt",
                .doc = "Returns random integers that are uniformly distributed "
                       "in [minval, maxval).",
                .inputs = {"shape: T", "minval: Tout", "maxval: Tout"},
                .outputs = {"output: Tout"},
                .attrs = {"seed: int = 0", "seed2: int = 0",
                          "Tout: {int32, int64}", "T: {int32, int64}"},
                .stateful = true,
                .shape = RandomUniformIntShape,
                .work = works::Generate<25>},
               {NotFoldable(OnCpu()),
                InHostMemory(OnGpu(), {"shape", "minval", "maxval"})});
}

void AddRandomShuffle(OpRegistry& registry) {
  registry.Add({.name = "RandomShuffle",
                .doc = "Puts the slices of a tensor along the first axis into "
                       "random order.",
                .inputs = {"value: T"},
                .outputs = {"output: T"},
                .attrs = {"seed: int = 0", "seed2: int = 0", "T: type"},
                .stateful = true,
                .shape = shapes::Unchanged,
                .work = works::Move},
               {NotFoldable(OnCpu({{"T", WithStoredTypes(kMovable)}}))});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddRandomUniformAndOthers(registry);
  AddRandomShuffle(registry);
}

}  // namespace leat::ops::random
