// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ReverseV2, ReverseSequence and Roll, which change the order of
// elements along axes.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::reverse {
namespace {

absl::Status ReverseShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 1).status());
  const PartialShape& input = context.input(0);
  const Tensor* axes = context.input_value(1);
  if (axes != nullptr && input.rank_known()) {
    LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(*axes, "axis"));
    std::vector<bool> seen(static_cast<size_t>(input.rank()), false);
    for (const int64_t value : values) {
      LEAT_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(value, input.rank()));
      if (seen[static_cast<size_t>(axis)]) {
        return absl::InvalidArgumentError(
            absl::StrCat("axis ", axis, " specified more than once."));
      }
      seen[static_cast<size_t>(axis)] = true;
    }
  }
  context.set_output(0, input);
  return absl::OkStatus();
}

absl::Status ReverseSequenceShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape lengths, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const int64_t seq_dim,
                        context.Attr<int64_t>("seq_dim"));
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dim,
                        context.Attr<int64_t>("batch_dim"));
  const PartialShape& input = context.input(0);
  if (!input.rank_known()) return absl::OkStatus();
  for (const auto& [name, dim] :
       {std::pair("batch_dim", batch_dim), std::pair("seq_dim", seq_dim)}) {
    if (dim < 0 || dim >= input.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " must be >= 0 and < input rank: ", dim, " vs. ",
                       input.rank()));
    }
  }
  const int batch = static_cast<int>(batch_dim);
  LEAT_ASSIGN_OR_RETURN(const int64_t extent,
                        MergeExtents(input.dim(batch), lengths.dim(0)));
  LEAT_ASSIGN_OR_RETURN(PartialShape output, WithExtent(input, batch, extent));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status RollShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape input, context.WithRankAtLeast(0, 1));
  for (const int i : {1, 2}) {
    if (context.input(i).rank_known() && context.input(i).rank() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape must be at most rank 1 but is rank ",
                       context.input(i).rank()));
    }
  }
  context.set_output(0, std::move(input));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "ReverseV2",
       .doc = "Reverses the order of the elements along the given axes.",
       .inputs = {"tensor: T", "axis: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"Tidx: {int32, int64} = int32",
                 "T: {uint8, int8, uint16, int16, int32, uint32, int64, "
                 "uint64, bool, bfloat16, half, float, double, complex64, "
                 "complex128, string}"},
       .shape = ReverseShape,
       .work = works::Move},
      {OnCpu({{"T", (kPlain + kStringOnly).dtypes()}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"axis"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "ReverseSequence",
       .doc = "Reverses the first seq_lengths[i] elements of row i of a batch, "
              "and keeps the rest.",
       .inputs = {"input: T", "seq_lengths: Tlen"},
       .outputs = {"output: T"},
       .attrs = {"seq_dim: int", "batch_dim: int = 0", "T: type",
                 "Tlen: {int32, int64} = int64"},
       .shape = ReverseSequenceShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}})});

  registry.Add(
      {.name = "Roll",
       .doc = "Shifts the elements along axes, and moves those that leave the "
              "end to the start.",
       .inputs = {"input: T", "shift: Tshift", "axis: Taxis"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"},
       .shape = RollShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}})});
}

}  // namespace leat::ops::reverse
