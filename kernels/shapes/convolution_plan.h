// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The attrs and shapes of Conv2D and its gradients, which their kernels for all
// devices share. The errors have TensorFlow's codes and texts.
#ifndef LEAT_KERNELS_SHAPES_CONVOLUTION_PLAN_H_
#define LEAT_KERNELS_SHAPES_CONVOLUTION_PLAN_H_

#include "absl/status/statusor.h"
#include "leat/core/convolution_shape.h"
#include "leat/core/shape.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels {

// A convolution and the shape of what is computed. A value type.
struct ConvolutionPlan {
  ConvolutionShape shape = {};
  Shape result = {};
};

// Reads the attrs. As in TensorFlow, Conv2DBackpropFilter fails with
// INVALID_ARGUMENT, and the two other ops fail with UNIMPLEMENTED. TensorFlow's
// oneDNN kernels for float32 fail with a different code, but Leat has one code
// for all dtypes.
absl::StatusOr<WindowAttrs> ConvolutionAttrs(const NodeDef& node);

// Plans a Conv2D of these shapes, whose result is the output. The number of
// groups follows from the depths of input and filter, as in TensorFlow.
absl::StatusOr<ConvolutionPlan> PlanConvolution(const WindowAttrs& attrs,
                                                const Shape& input,
                                                const Shape& filter);

// Plan Conv2DBackpropInput, whose inputs are input_sizes, filter and
// out_backprop, and Conv2DBackpropFilter, whose inputs are input, filter_sizes
// and out_backprop. The sizes are in memory of the host.
absl::StatusOr<ConvolutionPlan> PlanBackwardInput(const WindowAttrs& attrs,
                                                  const KernelContext& context);
absl::StatusOr<ConvolutionPlan> PlanBackwardFilter(
    const WindowAttrs& attrs, const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_CONVOLUTION_PLAN_H_
