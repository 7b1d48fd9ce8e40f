// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check the shapes of Softmax and of the cross entropies. The
// kernels for all devices share them. All errors are INVALID_ARGUMENT, with
// TensorFlow's texts.
#ifndef LEAT_KERNELS_SHAPES_SOFTMAX_SHAPES_H_
#define LEAT_KERNELS_SHAPES_SOFTMAX_SHAPES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns an error if the logits of a softmax are a scalar.
absl::Status CheckSoftmaxShape(const Shape& logits);

// Returns the shape [rows, classes] to which the logits (input 0) and the
// labels (input 1) of SoftmaxCrossEntropyWithLogits are broadcast.
absl::StatusOr<Shape> CrossEntropyShape(const KernelContext& context);

// Returns an error unless the logits and labels of
// SparseSoftmaxCrossEntropyWithLogits fit.
absl::Status CheckSparseCrossEntropyShapes(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_SOFTMAX_SHAPES_H_
