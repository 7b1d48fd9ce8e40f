// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read the attrs and check the shapes of Conv2D, of Conv3D, of
// DepthwiseConv2dNative and of their gradients. The kernels for all devices
// share them. The errors have TensorFlow's codes and texts. Leat takes
// dilations and unequal strides of depthwise convolutions, and dilations of
// volumes, for all types, TensorFlow for float only.
#ifndef LEAT_KERNELS_SHAPES_CONVOLUTION_PLAN_H_
#define LEAT_KERNELS_SHAPES_CONVOLUTION_PLAN_H_

#include "absl/status/statusor.h"
#include "leat/core/convolution_shape.h"
#include "leat/core/shape.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels {

// Holds the shape of a convolution and the shape of the tensor that is
// computed. Is a value type.
struct ConvolutionPlan {
  ConvolutionShape shape = {};
  Shape result = {};
};

// Reads the attrs. If an attr has a value for batch or channels that is not 1,
// Conv2DBackpropFilter, Conv3D and its gradients fail with INVALID_ARGUMENT,
// and the other ops fail with UNIMPLEMENTED, as in TensorFlow. TensorFlow's
// oneDNN kernels for float32 fail with a different code, but Leat has one code
// for all dtypes.
absl::StatusOr<WindowAttrs> ConvolutionAttrs(const NodeDef& node);

// Plans a Conv2D or a Conv3D of these shapes. The result is the output. The
// number of groups of a Conv2D follows from the depths of input and filter, as
// in TensorFlow. With
// attrs.depthwise, the filter has the shape [height, width, input channels,
// output channels for each of them], and each input channel is a group.
absl::StatusOr<ConvolutionPlan> PlanConvolution(const WindowAttrs& attrs,
                                                const Shape& input,
                                                const Shape& filter);

// PlanBackwardInput plans Conv2DBackpropInput or Conv3DBackpropInputV2, whose
// inputs are input_sizes, filter and out_backprop. PlanBackwardFilter plans
// Conv2DBackpropFilter or Conv3DBackpropFilterV2, whose inputs are input,
// filter_sizes and out_backprop. The sizes are in host memory.
absl::StatusOr<ConvolutionPlan> PlanBackwardInput(const WindowAttrs& attrs,
                                                  const KernelContext& context);
absl::StatusOr<ConvolutionPlan> PlanBackwardFilter(
    const WindowAttrs& attrs, const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_CONVOLUTION_PLAN_H_
