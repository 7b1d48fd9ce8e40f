// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines L2Loss, which computes half the sum of the squares of a tensor's
// elements.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::l2_loss {
void Register(OpRegistry& registry) {
  registry.Add({.name = "L2Loss",
                .doc = "Computes half the sum of the squares of t.",
                .inputs = {"t: T"},
                .outputs = {"output: T"},
                .attrs = {"T: {half, bfloat16, float, double}"},
                .shape = shapes::Scalar,
                .work = works::PerElement<2>},
               {ExpensiveOnCpu({{"T", kFloats.dtypes()}}),
                OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::l2_loss
