// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions plan poolings and their gradients for the kernels of all
// devices. All errors are INVALID_ARGUMENT, with TensorFlow's texts.
#ifndef LEAT_KERNELS_SHAPES_POOLING_PLAN_H_
#define LEAT_KERNELS_SHAPES_POOLING_PLAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/shape.h"
#include "leat/kernels/functors/window_axis.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels {

// Holds the sizes of one pooling, in NHWC or NDHWC layout. An NCHW tensor
// counts as batch x channels images with one channel each. Images have one
// plane, volumes have several. Is a value type.
struct PoolingPlan {
  int64_t images = 0, channels = 0;
  functors::WindowAxis planes = {.extent = 1, .positions = 1};
  functors::WindowAxis rows = {}, columns = {};
  Shape input = {}, output = {};
};

// Plans the pooling of a tensor of shape `input`, which error messages call
// `what`.
absl::StatusOr<PoolingPlan> PlanPooling(const WindowAttrs& attrs,
                                        const Shape& input,
                                        absl::string_view what);

// Plans MaxPoolGrad or MaxPool3DGrad, whose inputs are orig_input, orig_output
// and grad.
absl::StatusOr<PoolingPlan> PlanMaxPoolGrad(const WindowAttrs& attrs,
                                            const KernelContext& context);

// Plans MaxPoolGradGrad or MaxPool3DGradGrad, whose inputs are orig_input,
// orig_output and grad, which has the shape of orig_input.
absl::StatusOr<PoolingPlan> PlanMaxPoolGradGrad(const WindowAttrs& attrs,
                                                const KernelContext& context);

// Plans MaxPoolGradWithArgmax, whose inputs are input, grad and argmax.
absl::StatusOr<PoolingPlan> PlanMaxPoolGradWithArgmax(
    const WindowAttrs& attrs, const KernelContext& context);

// Plans AvgPoolGrad or AvgPool3DGrad, whose inputs are orig_input_shape and
// grad. orig_input_shape is in host memory.
absl::StatusOr<PoolingPlan> PlanAvgPoolGrad(const WindowAttrs& attrs,
                                            const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_POOLING_PLAN_H_
