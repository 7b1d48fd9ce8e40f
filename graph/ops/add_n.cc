// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines AddN, which adds up tensors of the same shape.
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::add_n {
namespace {

absl::Status AddNShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(shapes::MergeAll(context));
  const HandleShape* handle = context.input_handle(0);
  if (handle != nullptr) context.set_output_handle(0, *handle);
  return absl::OkStatus();
}

Work AddNWork(const WorkContext& context) {
  Work work = works::Move(context);
  const double additions = static_cast<double>(context.inputs().size()) - 1;
  work.flops = additions * FlopsOf(context.output(0));
  return work;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "AddN",
       .doc = "Adds up tensors of the same shape.",
       .inputs = {"inputs: N * T"},
       .outputs = {"sum: T"},
       .attrs = {"N: int",
                 "T: {float, double, int32, uint8, int16, int8, complex64, "
                 "int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
                 "uint16, complex128, half, uint32, uint64, variant}"},
       .commutative = true,
       .aggregate = true,
       .shape = AddNShape,
       .work = AddNWork},
      {OnCpu({{"T", (kNumbersAndComplexes + kVariantOnly).dtypes()}}),
       OnGpu({{"T", (kFloatsAndInt64 + kVariantOnly).dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::add_n
