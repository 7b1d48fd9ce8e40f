// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of SegmentSum and SegmentMean. The segment ids are in
// memory of the host, because the shape of the output depends on them. The GPU
// gets the places at which the segments begin.
#include <cstddef>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/scatter.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/sorted_segments.h"

namespace leat::kernels::cuda::sorted_segment {
namespace {

// Returns where each segment begins, and the number of ids at the end, in the
// memory of the GPU.
absl::StatusOr<Tensor> SegmentStarts(KernelContext& context,
                                     absl::Span<const int64_t> ids,
                                     int64_t segments) {
  const Shape shape = {segments + 1};
  LEAT_ASSIGN_OR_RETURN(
      Tensor on_host, Tensor::Allocate(context.step().device->host_allocator(),
                                       DType::kInt64, shape));
  const absl::Span<int64_t> starts = on_host.mutable_data<int64_t>();
  size_t i = 0;
  for (int64_t segment = 0; segment < segments; ++segment) {
    while (ids[i] < segment) ++i;
    starts[static_cast<size_t>(segment)] = static_cast<int64_t>(i);
  }
  starts[static_cast<size_t>(segments)] = static_cast<int64_t>(ids.size());
  LEAT_ASSIGN_OR_RETURN(Tensor on_device,
                        context.AllocateTemporary(DType::kInt64, shape));
  LEAT_RETURN_IF_ERROR(
      context.step().device->gpu_stream()->CopyToDevice(on_host, on_device));
  return on_device;
}

template <bool is_mean>
absl::Status ReduceSegments(KernelContext& context) {
  const Tensor& data = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const Tensor ids, SortedSegmentIds(context));
  const int64_t segments = NumSegments(ids.data<int64_t>());
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        AllocateRows(context, segments, data));
  if (output->num_elements() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const Tensor starts,
                        SegmentStarts(context, ids.data<int64_t>(), segments));
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchReduceSegments(
        stream, TypeOf(data),
        {.from = data.raw_data(),
         .starts = reinterpret_cast<const int64_t*>(starts.raw_data()),
         .to = output->mutable_raw_data(),
         .num_segments = segments,
         .inner = output->num_elements() / segments,
         .is_mean = is_mean});
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SegmentSum", kGpu, &MakeFunction<&ReduceSegments<false>>);
  registry.Add("SegmentMean", kGpu, &MakeFunction<&ReduceSegments<true>>);
}

}  // namespace leat::kernels::cuda::sorted_segment
