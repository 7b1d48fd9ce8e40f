// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Cumsum and Cumprod, which compute running sums and products along an
// axis.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::cumulative {
void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Cumsum",
       .doc = "Computes the running sum of x along an axis.",
       .inputs = {"x: T", "axis: Tidx"},
       .outputs = {"out: T"},
       .attrs = {"exclusive: bool = false", "reverse: bool = false",
                 "T: numbertype", "Tidx: {int32, int64} = int32"},
       .shape = shapes::Unchanged},
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}), {"axis"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "Cumprod",
       .doc = "Computes the running product of x along an axis.",
       .inputs = {"x: T", "axis: Tidx"},
       .outputs = {"out: T"},
       .attrs = {"exclusive: bool = false", "reverse: bool = false",
                 "T: numbertype", "Tidx: {int32, int64} = int32"},
       .shape = shapes::Unchanged},
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}), {"axis"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::cumulative
