// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckClipShapes checks the inputs of ClipByValue. The kernels for all devices
// share it.
#ifndef LEAT_KERNELS_SHAPES_CLIP_SHAPES_H_
#define LEAT_KERNELS_SHAPES_CLIP_SHAPES_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns INVALID_ARGUMENT, with TensorFlow's text, unless the bounds, inputs 1
// and 2, are scalars or have the shape of input 0.
inline absl::Status CheckClipShapes(const KernelContext& context) {
  const Shape& input = context.input(0).shape();
  const Shape& low = context.input(1).shape();
  const Shape& high = context.input(2).shape();
  const auto fits = [&](const Shape& bound) {
    return bound.IsScalar() || bound == input;
  };
  if (fits(low) && fits(high)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "clip_value_min and clip_value_max must be either of the same shape as "
      "input, or a scalar. input shape: ",
      input.DebugString(), "clip_value_min shape: ", low.DebugString(),
      "clip_value_max shape: ", high.DebugString()));
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_CLIP_SHAPES_H_
