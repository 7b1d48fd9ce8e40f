// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ClipByValue, which limits elements to a range.
#include "leat/core/cpu_dtype_list.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::clip {

void Register(OpRegistry& registry) {
  registry.Add({.name = "ClipByValue",
                .doc = "Limits the elements of t to the range from "
                       "clip_value_min to clip_value_max.",
                .inputs = {"t: T", "clip_value_min: T", "clip_value_max: T"},
                .outputs = {"output: T"},
                .attrs = {"T: numbertype"},
                .shape = shapes::Unchanged,
                .work = works::PerElement<2>},
               {OnCpu({{"T", (kNumbersButLargeUints + kComplexes).dtypes()}}),
                OnGpu({{"T", (kFloatsAndInt64 +
                              DTypeList<int8_t, int16_t, uint8_t, uint16_t>())
                                 .dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::clip
