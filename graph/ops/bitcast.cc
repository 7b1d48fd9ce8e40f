// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Bitcast, which reads the bytes of a tensor as elements of another
// type.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::bitcast {
namespace {

absl::Status BitcastShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType from, context.Attr<DType>("T"));
  LEAT_ASSIGN_OR_RETURN(const DType to, context.Attr<DType>("type"));
  const auto from_size = static_cast<int64_t>(SizeOf(from));
  const auto to_size = static_cast<int64_t>(SizeOf(to));
  const PartialShape& input = context.input(0);
  if (!input.rank_known()) return absl::OkStatus();
  Dims dims(input.dims().begin(), input.dims().end());
  if (from_size > to_size) {
    dims.push_back(from_size / to_size);
  } else if (from_size < to_size) {
    LEAT_RETURN_IF_ERROR(context.WithRankAtLeast(0, 1).status());
    LEAT_RETURN_IF_ERROR(
        MergeExtents(dims.back(), to_size / from_size).status());
    dims.pop_back();
  }
  return SetOutput(dims, context);
}

constexpr char kTypes[] =
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, "
    "uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, "
    "quint16, qint32}";

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Bitcast",
       .doc = "Reads the bytes of a tensor as elements of another "
              "type.",
       .inputs = {"input: T"},
       .outputs = {"output: type"},
       .attrs = {absl::StrCat("T: ", kTypes), absl::StrCat("type: ", kTypes)},
       .shape = BitcastShape,
       .work = works::Nothing},
      {OnCpu()});
}

}  // namespace leat::ops::bitcast
