// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/batch_norm_shapes.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::StatusOr<Channels> ChannelsOf(const BatchNormAttrs& attrs,
                                    const Shape& shape) {
  if (shape.rank() != attrs.rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input must be ", attrs.rank, "-dimensional: ", shape.DebugString()));
  }
  return FindChannels(shape, attrs.channels_first);
}

absl::Status CheckVector(absl::string_view name, const Tensor& tensor,
                         int64_t channels, bool may_be_empty = false) {
  if (tensor.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " must be 1-dimensional: ", tensor.shape().DebugString()));
  }
  if (tensor.dim(0) == channels || (may_be_empty && tensor.dim(0) == 0)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, " must have the same number of elements as the channels of x, got ",
      tensor.dim(0), " and ", channels));
}

}  // namespace

absl::StatusOr<BatchNormAttrs> BatchNormAttrs::Create(const NodeDef& node) {
  BatchNormAttrs a;
  LEAT_ASSIGN_OR_RETURN(a.epsilon, node.attrs.GetOr<float>("epsilon", 1e-4f));
  LEAT_ASSIGN_OR_RETURN(
      a.factor, node.attrs.GetOr<float>("exponential_avg_factor", 1.0f));
  LEAT_ASSIGN_OR_RETURN(a.training,
                        node.attrs.GetOr<bool>("is_training", true));
  LEAT_ASSIGN_OR_RETURN(std::string format,
                        node.attrs.GetOr<std::string>("data_format", "NHWC"));
  a.channels_first = format == "NCHW" || format == "NCDHW";
  a.rank = format == "NDHWC" || format == "NCDHW" ? 5 : 4;
  if (!a.channels_first && format != "NHWC" && format != "NDHWC") {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid data format: ", format));
  }
  return a;
}

absl::StatusOr<Channels> BatchNormChannels(const BatchNormAttrs& attrs,
                                           const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Channels c,
                        ChannelsOf(attrs, context.input(0).shape()));
  constexpr const char* kNames[] = {"x", "scale", "offset", "mean", "variance"};
  for (int i = 1; i < 5; ++i) {
    const bool may_be_empty = i >= 3 && !attrs.UsesEstimates();
    LEAT_RETURN_IF_ERROR(
        CheckVector(kNames[i], context.input(i), c.count, may_be_empty));
  }
  return c;
}

absl::StatusOr<Channels> BatchNormGradChannels(const BatchNormAttrs& attrs,
                                               const KernelContext& context) {
  const Shape& dy = context.input(0).shape();
  const Shape& x = context.input(1).shape();
  LEAT_ASSIGN_OR_RETURN(const Channels c, ChannelsOf(attrs, x));
  if (dy != x) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x and y_backprop must have same shape, but x has shape ",
        x.DebugString(), " and y_backprop has shape ", dy.DebugString()));
  }
  constexpr const char* kNames[] = {"", "", "scale", "reserve_space_1",
                                    "reserve_space_2"};
  for (int i = 2; i < 5; ++i) {
    LEAT_RETURN_IF_ERROR(CheckVector(kNames[i], context.input(i), c.count));
  }
  return c;
}

}  // namespace leat::kernels
