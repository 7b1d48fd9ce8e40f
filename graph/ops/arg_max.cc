// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ArgMax and ArgMin, which give the index of the largest or smallest
// element along an axis.
#include <optional>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::arg_max {
namespace {

absl::Status ArgMaxShape(InferenceContext& context) {
  const PartialShape& input = context.input(0);
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  if (!input.rank_known()) return absl::OkStatus();
  if (input.rank() <= 1) {
    context.set_output(0, Shape{});
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> dimension,
                        ScalarInput(context, 1));
  if (!dimension.has_value()) {
    context.set_output(0, PartialShape::UnknownOfRank(input.rank() - 1));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis(*dimension, input.rank()));
  Dims dims(input.dims().begin(), input.dims().end());
  dims.erase(dims.begin() + axis);
  return SetOutput(dims, context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "ArgMax",
       .doc = "Returns the index of the largest element along an axis.",
       .inputs = {"input: T", "dimension: Tidx"},
       .outputs = {"output: output_type"},
       .attrs = {"T: {float, double, int32, uint8, int16, int8, "
                 "int64, bfloat16, uint16, half, uint32, uint64, "
                 "qint8, quint8, qint32, qint16, quint16, bool}",
                 "Tidx: {int16, int32, int64} = int32",
                 "output_type: {int16, uint16, int32, int64} = int64"},
       .shape = ArgMaxShape},
      {ExpensiveOnCpu({{"T", (kNumbers + kBoolOnly).dtypes()},
                       {"Tidx", kIndices.dtypes()}}),
       InHostMemory(OnGpu({{"T", (kFloats + kBoolOnly).dtypes()}}),
                    {"dimension"})});

  registry.Add(
      {.name = "ArgMin",
       .doc = "Returns the index of the smallest element along an axis.",
       .inputs = {"input: T", "dimension: Tidx"},
       .outputs = {"output: output_type"},
       .attrs = {"T: {float, double, int32, uint8, int16, int8, "
                 "int64, bfloat16, uint16, half, uint32, uint64, "
                 "qint8, quint8, qint32, qint16, quint16, bool}",
                 "Tidx: {int32, int64} = int32",
                 "output_type: {int32, int64} = int64"},
       .shape = ArgMaxShape},
      {ExpensiveOnCpu({{"T", (kNumbers + kBoolOnly).dtypes()}}),
       InHostMemory(OnGpu({{"T", (kFloats + kBoolOnly).dtypes()}}),
                    {"dimension"})});
}

}  // namespace leat::ops::arg_max
