// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Where, which gives the coordinates of all elements that are not zero.
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::where {
namespace {

absl::Status WhereShape(InferenceContext& context) {
  const PartialShape& input = context.input(0);
  const int64_t rank =
      input.rank_known() ? input.rank() : PartialShape::kUnknown;
  context.set_output(0, PartialShape{PartialShape::kUnknown, rank});
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Where",
       .doc = "Returns the coordinates of the elements that are true or not 0.",
       .inputs = {"input: T"},
       .outputs = {"index: int64"},
       .attrs = {"T: {float, double, int32, uint8, int16, int8, complex64, "
                 "int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
                 "uint16, complex128, half, uint32, uint64, bool} = bool"},
       .shape = WhereShape},
      {OnCpu({{"T", (kNumbersAndComplexes + kBoolOnly).dtypes()}}),
       OnGpu({{"T", (kRealNumbersOnGpu + kBoolOnly).dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::where
