// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/kernel_context.h"

#include <atomic>
#include <utility>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/node_memory.h"
#include "leat/graph/graph.h"

namespace leat {

bool KernelContext::MayReuseInput(int i) const {
  // The count of readers must be checked before IsUnique. While another reader
  // is counted, it may take a reference to the bytes at any moment, and
  // IsUnique could miss that reference. A reader takes its references before it
  // leaves the count, so IsUnique sees them afterwards.
  std::atomic_ref<int32_t> readers(
      const_cast<int32_t&>(values_.readers[values_.inputs[i]]));
  if (readers.load(std::memory_order_acquire) != 1) return false;
  const Value& input = value(i);
  return input.ref == nullptr && input.tensor.IsUnique();
}

bool KernelContext::IsInHostMemory(int i) const {
  return values_.memory->is_output_on_host[i];
}

absl::StatusOr<Tensor> KernelContext::Allocate(bool on_host, DType dtype,
                                               const Shape& shape,
                                               int64_t held_bytes) const {
  Device& device = *step_->device;
  absl::StatusOr<Tensor> tensor =
      Tensor::Allocate(on_host ? device.host_allocator() : device.allocator(),
                       dtype, shape, held_bytes);
  if (ABSL_PREDICT_FALSE(!tensor.ok()) && device.gpu_stream() != nullptr) {
    // A GPU that has failed has no memory either.
    LEAT_RETURN_IF_ERROR(device.gpu_stream()->CheckLaunch());
  }
  return tensor;
}

absl::StatusOr<Tensor*> KernelContext::AllocateOutput(int i, const Shape& shape,
                                                      int64_t held_bytes) {
  Tensor& tensor = output(i).tensor;
  LEAT_ASSIGN_OR_RETURN(
      tensor,
      Allocate(IsOutputOnHost(i), node_->output_types[i], shape, held_bytes));
  return &tensor;
}

absl::StatusOr<Tensor*> KernelContext::ForwardOrAllocate(
    std::initializer_list<int> candidates, int i, const Shape& shape) {
  for (const int candidate : candidates) {
    const Tensor& from = input(candidate);
    if (from.dtype() != node_->output_types[i] ||
        from.num_elements() != shape.num_elements() ||
        from.IsOnGpu() == IsOutputOnHost(i) || !MayReuseInput(candidate)) {
      continue;
    }
    Tensor& tensor = output(i).tensor;
    if (from.shape() == shape) {
      tensor = from;
    } else {
      LEAT_ASSIGN_OR_RETURN(tensor, from.Reshaped(shape));
    }
    return &tensor;
  }
  return AllocateOutput(i, shape);
}

absl::StatusOr<Tensor> KernelContext::AllocateTemporary(DType dtype,
                                                        const Shape& shape) {
  return Allocate(/*on_host=*/false, dtype, shape, /*held_bytes=*/0);
}

}  // namespace leat
