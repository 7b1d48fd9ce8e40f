// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Fill, ZerosLike and OnesLike, which make tensors whose elements all
// have the same value.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::fill {
namespace {

absl::Status FillShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context, 0));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// The zeros of a list are a list. Its elements have the same type and shape as
// those of the input.
absl::Status ZerosLikeShape(InferenceContext& context) {
  context.set_output(0, context.input(0));
  const HandleShape* handle = context.input_handle(0);
  if (handle != nullptr) context.set_output_handle(0, *handle);
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Fill",
                .doc = "Returns a tensor of the shape dims, all of whose "
                       "elements are value.",
                .inputs = {"dims: index_type", "value: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "index_type: {int32, int64} = int32"},
                .shape = FillShape,
                .work = works::Generate<0>},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"dims"}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "ZerosLike",
                .doc = "Returns zeros of the type and shape of x.",
                .inputs = {"x: T"},
                .outputs = {"y: T"},
                .attrs = {"T: type"},
                .shape = ZerosLikeShape,
                .work = works::Generate<0>},
               {OnCpu({{"T", (kPlain + kStringOnly + kVariantOnly).dtypes()}}),
                OnGpu({{"T", (kMovableOnGpu + kVariantOnly).dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "OnesLike",
       .doc = "Returns ones of the type and shape of x.",
       .inputs = {"x: T"},
       .outputs = {"y: T"},
       .attrs =
           {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, "
            "int32, uint32, int64, uint64, complex64, complex128, bool}"},
       .shape = shapes::Unchanged,
       .work = works::Generate<0>},
      {OnCpu({{"T", kPlain.dtypes()}}), OnGpu({{"T", kMovableOnGpu.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::fill
