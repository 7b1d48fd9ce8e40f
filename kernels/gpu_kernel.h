// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// This header has what the kernels for GPUs share. These kernels
// (kernels/cuda/) are host code. They check shapes, allocate outputs in the
// memory of the GPU, and call launch functions (kernels/cuda/device/). A launch
// function adds work to the stream of the GPU:
//
//   LEAT_ASSIGN_OR_RETURN(Tensor * y, context.AllocateOutput(0, x.shape()));
//   return OnStream(context, [&](CUstream_st* stream) {
//     return leat::cuda::LaunchUnary(
//         stream, leat::cuda::Unary::kNeg, TypeOf(x),
//         {x.raw_data(), y->mutable_raw_data(), x.num_elements()});
//   });
#ifndef LEAT_KERNELS_GPU_KERNEL_H_
#define LEAT_KERNELS_GPU_KERNEL_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/cuda/device/element_type.h"
#include "leat/kernels/cuda/device/index_map.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

static_assert(static_cast<int>(DType::kUint64) ==
              static_cast<int>(leat::cuda::ElementType::kUint64));

// Returns the type of a tensor's elements for launch functions.
inline leat::cuda::ElementType TypeOf(const Tensor& tensor) {
  return static_cast<leat::cuda::ElementType>(tensor.dtype());
}

// Calls launch(handle) with the stream's handle. `launch` returns false if it
// has no code for the types of its operands. OnStream then returns INTERNAL. It
// also returns INTERNAL if CUDA refuses the launch.
template <class Launch>
absl::Status OnStream(GpuStream& stream, Launch launch) {
  if (!launch(stream.handle())) {
    return absl::InternalError("there is no code for GPUs for these types");
  }
  return stream.CheckLaunch();
}
template <class Launch>
absl::Status OnStream(const KernelContext& context, Launch launch) {
  return OnStream(*context.step().device->gpu_stream(), std::move(launch));
}

// Converts a plan to an IndexMap for launch functions. Returns UNIMPLEMENTED if
// the plan has more than eight merged dimensions. REQUIRES: the plan's result
// has elements.
template <int N>
absl::StatusOr<leat::cuda::IndexMap<N>> MapOf(const BroadcastPlan<N>& plan) {
  leat::cuda::IndexMap<N> map = {};
  if (plan.extents.size() > leat::cuda::kMaxDimensions) {
    return absl::UnimplementedError(absl::StrCat(
        "GPUs walk through at most ", leat::cuda::kMaxDimensions,
        " dimensions that cannot be merged, but there are ",
        plan.extents.size(), " for shape ", plan.shape.DebugString()));
  }
  map.rank = static_cast<int>(plan.extents.size());
  map.is_small = plan.shape.num_elements() < (int64_t{1} << 31);
  for (int d = 0; d < map.rank; ++d) {
    map.extents[d] = plan.extents[d];
    if (map.is_small) {
      map.dividers[d] =
          leat::cuda::MakeDivider(static_cast<uint32_t>(plan.extents[d]));
    }
    for (int k = 0; k < N; ++k) map.strides[k][d] = plan.strides[k][d];
  }
  return map;
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_GPU_KERNEL_H_
