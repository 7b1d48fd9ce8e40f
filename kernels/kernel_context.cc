// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/kernel_context.h"

#include <atomic>
#include <utility>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/dtype.h"
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
  // Variants are in host memory, even if the tensors that they hold are not.
  return values_.memory->is_output_on_host[i] ||
         BaseOf(node_->output_types[i]) == DType::kVariant;
}

Tensor* KernelContext::AllocatePinned(int i, const Shape& shape) {
  if (values_.memory == nullptr || values_.memory->is_output_pinned.empty() ||
      !values_.memory->is_output_pinned[i]) {
    return nullptr;
  }
  absl::StatusOr<Tensor> made = Tensor::Allocate(
      *step_->device->pinned_allocator(), node_->output_types[i], shape);
  if (!made.ok()) return nullptr;
  Tensor& tensor = output(i).tensor;
  tensor = *std::move(made);
  return &tensor;
}

absl::Status KernelContext::AllocationError(const absl::Status& status) const {
  GpuStream* const stream = step_->device->gpu_stream();
  if (stream != nullptr) LEAT_RETURN_IF_ERROR(stream->CheckLaunch());
  return status;
}

absl::StatusOr<Tensor*> KernelContext::AllocateOutput(int i, const Shape& shape,
                                                      int64_t held_bytes) {
  if (Tensor* const pinned = AllocatePinned(i, shape)) return pinned;
  Device& device = *step_->device;
  Allocator& allocator = values_.memory != nullptr && IsInHostMemory(i)
                             ? device.host_allocator()
                             : device.allocator();
  absl::StatusOr<Tensor> made =
      Tensor::Allocate(allocator, node_->output_types[i], shape, held_bytes);
  if (ABSL_PREDICT_FALSE(!made.ok())) return AllocationError(made.status());
  Tensor& tensor = output(i).tensor;
  tensor = *std::move(made);
  return &tensor;
}

absl::StatusOr<Tensor*> KernelContext::ForwardOrAllocate(
    std::initializer_list<int> candidates, int i, const Shape& shape) {
  if (Tensor* const pinned = AllocatePinned(i, shape)) return pinned;
  for (const int candidate : candidates) {
    const Tensor& from = input(candidate);
    if (from.dtype() != node_->output_types[i] ||
        from.num_elements() != shape.num_elements() ||
        !MayReuseInput(candidate) ||
        (values_.memory != nullptr && from.IsOnGpu() == IsInHostMemory(i))) {
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
  absl::StatusOr<Tensor> made =
      Tensor::Allocate(step_->device->allocator(), dtype, shape);
  if (ABSL_PREDICT_FALSE(!made.ok())) return AllocationError(made.status());
  return made;
}

}  // namespace leat
