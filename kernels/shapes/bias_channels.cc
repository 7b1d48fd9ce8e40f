// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/bias_channels.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph.h"

namespace leat::kernels {

absl::StatusOr<bool> IsNchw(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string format,
                        node.attrs.GetOr<std::string>("data_format", "NHWC"));
  if (format != "NHWC" && format != "NCHW") {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid data format: ", format));
  }
  return format == "NCHW";
}

absl::StatusOr<Channels> FindChannels(const Shape& shape, bool nchw) {
  if (shape.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input tensor must be at least 2D: ", shape.DebugString()));
  }
  const int axis = nchw ? 1 : shape.rank() - 1;
  Channels c;
  c.count = shape.dim(axis);
  for (int i = 0; i < axis; ++i) {
    LEAT_ASSIGN_OR_RETURN(c.outer, CheckedMultiply(c.outer, shape.dim(i)));
  }
  for (int i = axis + 1; i < shape.rank(); ++i) {
    LEAT_ASSIGN_OR_RETURN(c.inner, CheckedMultiply(c.inner, shape.dim(i)));
  }
  return c;
}

absl::StatusOr<Channels> BiasChannels(const KernelContext& context, bool nchw) {
  const Tensor& value = context.input(0);
  const Tensor& bias = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const Channels c, FindChannels(value.shape(), nchw));
  if (!bias.shape().IsVector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Biases must be 1D: ", bias.shape().DebugString()));
  }
  if (bias.dim(0) != c.count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Must provide as many biases as the ",
        nchw ? "channel dimension" : "last dimension", " of the input tensor: ",
        bias.shape().DebugString(), " vs. ", value.shape().DebugString()));
  }
  return c;
}

}  // namespace leat::kernels
