// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of AddN.
#include <algorithm>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/add_n.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::add_n {
namespace {

using leat::cuda::kMaxAddends;

absl::Status ComputeAddN(KernelContext& context) {
  const int count = context.num_inputs();
  for (int i = 1; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(CheckSameSizeAndShape(context, i));
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.ForwardOrAllocate(
                                             {0}, 0, context.input(0).shape()));
  const void* addends[kMaxAddends];
  void* const sum = output->mutable_raw_data();
  // The first launch adds up to eight inputs, and each further one seven more
  // and the sum so far.
  int next = 0;
  do {
    int n = 0;
    if (next > 0) addends[n++] = sum;
    while (n < kMaxAddends && next < count) {
      addends[n++] = context.input(next++).raw_data();
    }
    LEAT_RETURN_IF_ERROR(OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchAddN(stream, TypeOf(*output), addends, n, sum,
                                    output->num_elements());
    }));
  } while (next < count);
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("AddN", kGpu, &MakeFunction<&ComputeAddN>);
}

}  // namespace leat::kernels::cuda::add_n
