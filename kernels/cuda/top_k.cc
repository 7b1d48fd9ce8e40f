// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of TopKV2. It sorts each row.
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/top_k.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/top_k_shape.h"

namespace leat::kernels::cuda::top_k {
namespace {

constexpr int64_t kMaxColumns = int64_t{1} << 30;

absl::Status TopK(KernelContext& context) {
  const Tensor& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const TopKShape shape, GetTopKShape(context));
  if (shape.columns > kMaxColumns) {
    return absl::UnimplementedError(
        absl::StrCat("GPUs sort rows of at most ", kMaxColumns,
                     " elements, but there are ", shape.columns));
  }
  LEAT_ASSIGN_OR_RETURN(Tensor* const values,
                        context.AllocateOutput(0, shape.output));
  LEAT_ASSIGN_OR_RETURN(Tensor* const indices,
                        context.AllocateOutput(1, shape.output));
  if (values->num_elements() == 0) return absl::OkStatus();
  int64_t width = 1;
  while (width < shape.columns) width *= 2;
  LEAT_ASSIGN_OR_RETURN(const Shape room, Shape::Create({shape.rows, width}));
  LEAT_ASSIGN_OR_RETURN(Tensor order,
                        context.AllocateTemporary(DType::kInt32, room));
  const leat::cuda::SortedRows sorted = {
      .type = TypeOf(input),
      .from = input.raw_data(),
      .rows = shape.rows,
      .columns = shape.columns,
      .width = width,
      .order = reinterpret_cast<int32_t*>(order.mutable_raw_data())};
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchSortRows(stream, sorted) &&
           leat::cuda::LaunchTakeFirst(
               stream, sorted, shape.k, TypeOf(*indices),
               values->mutable_raw_data(), indices->mutable_raw_data());
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TopKV2", kGpu, &MakeFunction<&TopK>);
}

}  // namespace leat::kernels::cuda::top_k
