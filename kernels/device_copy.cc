// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/device_copy.h"

#include <algorithm>
#include <cstring>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/moves.h"
#include "leat/kernels/gpu_kernel.h"

namespace leat::kernels {
namespace {

// Copies elements between a strided view and a contiguous array. `dense` says
// which of the two is contiguous: 0 means `from`, and 1 means `to`.
absl::Status Copy(GpuStream& stream, const BroadcastPlan<1>& plan, int dense,
                  size_t element_bytes, const void* from, void* to) {
  const int64_t n = plan.shape.num_elements();
  if (n == 0) return absl::OkStatus();
  BroadcastPlan<2> both;
  both.shape = plan.shape;
  both.extents = plan.extents;
  both.strides[1 - dense] = plan.strides[0];
  Dims& strides = both.strides[dense];
  strides.resize(plan.extents.size());
  int64_t stride = 1;
  for (size_t d = plan.extents.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= plan.extents[d];
  }
  LEAT_ASSIGN_OR_RETURN(const auto map, MapOf(both));
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchCopy(handle, static_cast<int>(element_bytes), map,
                                  from, to, n);
  });
}

}  // namespace

absl::Status CopyFromStridedOnGpu(GpuStream& stream,
                                  const BroadcastPlan<1>& plan,
                                  size_t element_bytes, const void* from,
                                  void* to) {
  return Copy(stream, plan, /*dense=*/1, element_bytes, from, to);
}

absl::Status CopyToStridedOnGpu(GpuStream& stream, const BroadcastPlan<1>& plan,
                                size_t element_bytes, const void* from,
                                void* to) {
  return Copy(stream, plan, /*dense=*/0, element_bytes, from, to);
}

absl::Status FillOnGpu(GpuStream& stream, size_t element_bytes,
                       const void* value, void* to, int64_t n) {
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchFill(handle, static_cast<int>(element_bytes),
                                  value, to, n);
  });
}

absl::Status SelectOnGpu(GpuStream& stream, const BroadcastPlan<3>& plan,
                         size_t element_bytes, const bool* conditions,
                         const void* then, const void* otherwise, void* to) {
  LEAT_ASSIGN_OR_RETURN(const auto map, MapOf(plan));
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchSelect(handle, static_cast<int>(element_bytes),
                                    map, conditions, then, otherwise, to,
                                    plan.shape.num_elements());
  });
}

absl::Status FillValueOnGpu(GpuStream& stream, size_t element_bytes,
                            const void* value, void* to, int64_t n) {
  leat::cuda::ElementBytes bytes;
  std::memcpy(bytes.bytes, value, element_bytes);
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchFillValue(handle, static_cast<int>(element_bytes),
                                       bytes, to, n);
  });
}

absl::StatusOr<RowAddresses> RowAddresses::New(KernelContext& context,
                                               int64_t count) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor addresses,
      Tensor::Allocate(context.step().device->host_allocator(), DType::kUint64,
                       Shape{count}));
  RowAddresses rows(std::move(addresses));
  std::fill_n(rows.addresses_, count, 0);
  return rows;
}

absl::Status RowAddresses::Gather(KernelContext& context, size_t row_bytes,
                                  void* to) const {
  const int64_t count = tensor_.num_elements();
  if (count == 0 || row_bytes == 0) return absl::OkStatus();
  // Copies elements of the largest size, up to 16 bytes, that divides the row
  // size and all addresses.
  uint64_t bits = 16 | row_bytes | reinterpret_cast<uintptr_t>(to);
  for (int64_t i = 0; i < count; ++i) bits |= addresses_[i];
  const size_t element_bytes = bits & (~bits + 1);
  LEAT_ASSIGN_OR_RETURN(
      Tensor on_gpu, context.AllocateTemporary(DType::kUint64, Shape{count}));
  GpuStream& stream = *StreamOf(context);
  LEAT_RETURN_IF_ERROR(stream.CopyToDevice(tensor_, on_gpu));
  const auto row_size = static_cast<int64_t>(row_bytes / element_bytes);
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchGatherRows(
        handle, static_cast<int>(element_bytes),
        reinterpret_cast<const uint64_t*>(on_gpu.raw_data()), row_size, to,
        count * row_size);
  });
}

}  // namespace leat::kernels
