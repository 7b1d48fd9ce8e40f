// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ClipByValue, which limits elements to a range.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::clip {

namespace {

// As in TensorFlow, there is no kernel for the large unsigned integers.
constexpr auto kClipped =
    kFloats + kSignedInts + DTypeList<uint8_t, uint16_t>() + kComplexes;

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "ClipByValue",
                .doc = "Limits the elements of t to the range from "
                       "clip_value_min to clip_value_max.",
                .inputs = {"t: T", "clip_value_min: T", "clip_value_max: T"},
                .outputs = {"output: T"},
                .attrs = {"T: numbertype"},
                .shape = shapes::Unchanged},
               {OnCpu({{"T", kClipped.dtypes()}})});
}

}  // namespace leat::ops::clip
