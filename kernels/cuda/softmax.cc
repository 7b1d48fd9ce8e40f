// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits
// and SparseSoftmaxCrossEntropyWithLogits. As on TensorFlow's GPUs, a label out
// of range makes the loss NaN instead of an error.
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/softmax.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/softmax_shapes.h"

namespace leat::kernels::cuda::softmax {
namespace {

template <bool log>
absl::Status ComputeSoftmax(KernelContext& context) {
  const Tensor& logits = context.input(0);
  LEAT_RETURN_IF_ERROR(CheckSoftmaxShape(logits.shape()));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0}, 0, logits.shape()));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t classes = logits.dim(logits.rank() - 1);
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchSoftmax(
        stream, TypeOf(logits), log, logits.raw_data(),
        output->mutable_raw_data(), logits.num_elements() / classes, classes);
  });
}

// Returns a view of a tensor of at most two dimensions.
leat::cuda::BroadcastMatrix MatrixOf(const Tensor& tensor) {
  const int rank = tensor.rank();
  const int64_t rows = rank < 2 ? 1 : tensor.dim(0);
  const int64_t columns = rank < 1 ? 1 : tensor.dim(rank - 1);
  return {.data = tensor.raw_data(),
          .row_stride = rows == 1 ? 0 : columns,
          .column_stride = columns == 1 ? 0 : 1};
}

absl::Status ComputeCrossEntropy(KernelContext& context) {
  const Tensor& logits = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const Shape shape, CrossEntropyShape(context));
  const int64_t rows = shape.dim(0), classes = shape.dim(1);
  LEAT_ASSIGN_OR_RETURN(Tensor * loss, context.AllocateOutput(0, Shape{rows}));
  LEAT_ASSIGN_OR_RETURN(Tensor * backprop, context.AllocateOutput(1, shape));
  if (shape.num_elements() == 0) {  // without classes, the loss is 0
    return context.step().device->gpu_stream()->Fill(
        loss->mutable_raw_data(), 0, static_cast<size_t>(loss->num_bytes()));
  }
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchCrossEntropy(
        stream, TypeOf(logits), MatrixOf(logits), MatrixOf(context.input(1)),
        loss->mutable_raw_data(), backprop->mutable_raw_data(), rows, classes);
  });
}

absl::Status ComputeSparseCrossEntropy(KernelContext& context) {
  const Tensor& logits = context.input(0);
  const Tensor& labels = context.input(1);
  LEAT_RETURN_IF_ERROR(CheckSparseCrossEntropyShapes(context));
  const int64_t rows = logits.dim(0), classes = logits.dim(1);
  LEAT_ASSIGN_OR_RETURN(Tensor * loss, context.AllocateOutput(0, Shape{rows}));
  LEAT_ASSIGN_OR_RETURN(Tensor * backprop,
                        context.ForwardOrAllocate({0}, 1, logits.shape()));
  if (logits.num_elements() == 0) return absl::OkStatus();
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchSparseCrossEntropy(
        stream, TypeOf(logits), TypeOf(labels), logits.raw_data(),
        labels.raw_data(), loss->mutable_raw_data(),
        backprop->mutable_raw_data(), rows, classes);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Softmax", kGpu, &MakeFunction<&ComputeSoftmax<false>>);
  registry.Add("LogSoftmax", kGpu, &MakeFunction<&ComputeSoftmax<true>>);
  registry.Add("SoftmaxCrossEntropyWithLogits", kGpu,
               &MakeFunction<&ComputeCrossEntropy>);
  registry.Add("SparseSoftmaxCrossEntropyWithLogits", kGpu,
               &MakeFunction<&ComputeSparseCrossEntropy>);
}

}  // namespace leat::kernels::cuda::softmax
