// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines FusedBatchNormV3 and the op of its gradient.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::batch_norm {
namespace {

// Holds the rank of the images and the axis of their channels. Both follow from
// data_format.
struct Layout {
  int rank = 4;
  int channel = 3;
};

absl::StatusOr<Layout> ReadLayout(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        context.Attr<std::string>("data_format"));
  if (format == "NHWC") return Layout{.rank = 4, .channel = 3};
  if (format == "NCHW") return Layout{.rank = 4, .channel = 1};
  if (format == "NDHWC") return Layout{.rank = 5, .channel = 4};
  if (format == "NCDHW") return Layout{.rank = 5, .channel = 1};
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid data format: '", format, "'"));
}

// Checks that the vectors in inputs [first, last] have one element per channel.
// `channels` is the number of channels, or unknown. Returns the number of
// channels, which a vector may determine.
absl::StatusOr<int64_t> MergeChannels(const InferenceContext& context,
                                      int64_t channels, int first, int last) {
  for (int i = first; i <= last; ++i) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape vector, context.WithRank(i, 1));
    LEAT_ASSIGN_OR_RETURN(channels, MergeExtents(channels, vector.dim(0)));
  }
  return channels;
}

absl::Status FusedBatchNormShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(context));
  LEAT_ASSIGN_OR_RETURN(const bool training, context.Attr<bool>("is_training"));
  LEAT_ASSIGN_OR_RETURN(const float factor,
                        context.Attr<float>("exponential_avg_factor"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(0, layout.rank));
  // The kernel does not read the inputs mean and variance if the statistics of
  // the batch replace them entirely.
  const bool reads_mean = !training || factor != 1.0f;
  LEAT_ASSIGN_OR_RETURN(
      const int64_t channels,
      MergeChannels(context, x.dim(layout.channel), 1, reads_mean ? 4 : 2));
  LEAT_ASSIGN_OR_RETURN(PartialShape y,
                        WithExtent(x, layout.channel, channels));
  context.set_output(0, std::move(y));
  for (int i = 1; i <= 4; ++i) context.set_output(i, PartialShape{channels});
  // The kernel decides the shape of reserve_space_3, so nothing is inferred for
  // this output.
  return absl::OkStatus();
}

absl::Status FusedBatchNormGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape y_backprop,
                        context.WithRank(0, layout.rank));
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(1, layout.rank));
  LEAT_ASSIGN_OR_RETURN(
      int64_t channels,
      MergeExtents(y_backprop.dim(layout.channel), x.dim(layout.channel)));
  LEAT_ASSIGN_OR_RETURN(channels, MergeChannels(context, channels, 2, 4));
  LEAT_ASSIGN_OR_RETURN(PartialShape x_backprop,
                        WithExtent(y_backprop, layout.channel, channels));
  context.set_output(0, std::move(x_backprop));
  context.set_output(1, PartialShape{channels});
  context.set_output(2, PartialShape{channels});
  // Mean and variance have no gradients, so these outputs are empty.
  context.set_output(3, Shape{0});
  context.set_output(4, Shape{0});
  return absl::OkStatus();
}

// Returns the types that the kernels support. Statistics are always float.
std::vector<TypeConstraint> FloatStatistics() {
  return {{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}},
          {"U", {DType::kFloat}}};
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "FusedBatchNormV3",
       .doc = "Normalizes x per channel, by the statistics of the batch or by "
              "given ones, scales and shifts it.",
       .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
       .outputs = {"y: T", "batch_mean: U", "batch_variance: U",
                   "reserve_space_1: U", "reserve_space_2: U",
                   "reserve_space_3: U"},
       .attrs = {"T: {half, bfloat16, float}", "U: {bfloat16, float}",
                 "epsilon: float = 0.0001", "exponential_avg_factor: float = 1",
                 "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'",
                 "is_training: bool = true"},
       .shape = FusedBatchNormShape},
      {ExpensiveOnCpu(FloatStatistics()), OnGpu(FloatStatistics())});

  registry.Add(
      {.name = "FusedBatchNormGradV3",
       .doc = "Computes the gradients of FusedBatchNormV3 with respect to x, "
              "scale and offset.",
       .inputs = {"y_backprop: T", "x: T", "scale: float", "reserve_space_1: U",
                  "reserve_space_2: U", "reserve_space_3: U"},
       .outputs = {"x_backprop: T", "scale_backprop: U", "offset_backprop: U",
                   "reserve_space_4: U", "reserve_space_5: U"},
       .attrs = {"T: {half, bfloat16, float}", "U: {float}",
                 "epsilon: float = 0.0001",
                 "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'",
                 "is_training: bool = true"},
       .shape = FusedBatchNormGradShape},
      {ExpensiveOnCpu(FloatStatistics()), OnGpu(FloatStatistics())});
}

}  // namespace leat::ops::batch_norm
