// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of AddN.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/add_n.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"
#include "leat/kernels/variant_arithmetic.h"

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
  // Each launch adds up to kMaxAddends arrays. From the second launch on, the
  // sum so far is one of them.
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

// Adds int32 tensors that variants hold. They are in host memory.
absl::StatusOr<Tensor> AddOnHost(KernelContext& context, const Tensor& a,
                                 const Tensor& b) {
  LEAT_ASSIGN_OR_RETURN(Tensor sum, MakeZeros(context, a.dtype(), a.shape()));
  const auto to = sum.mutable_data<int32_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<int32_t>(static_cast<uint32_t>(a.data<int32_t>()[i]) +
                                 static_cast<uint32_t>(b.data<int32_t>()[i]));
  }
  return sum;
}

// Adds two tensors that variants hold.
absl::StatusOr<Tensor> AddTwo(KernelContext& context, const Tensor& a,
                              const Tensor& b) {
  LEAT_RETURN_IF_ERROR(CheckMemory(context, a));
  LEAT_RETURN_IF_ERROR(CheckMemory(context, b));
  if (a.dtype() == DType::kInt32) return AddOnHost(context, a, b);
  if (!kNumbers.Contains(a.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to add unsupported dtype ", Name(a.dtype())));
  }
  LEAT_ASSIGN_OR_RETURN(Tensor sum,
                        context.AllocateTemporary(a.dtype(), a.shape()));
  const void* addends[kMaxAddends] = {a.raw_data(), b.raw_data()};
  LEAT_RETURN_IF_ERROR(OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchAddN(stream, TypeOf(sum), addends, 2,
                                  sum.mutable_raw_data(), sum.num_elements());
  }));
  return sum;
}

absl::Status AddVariantN(KernelContext& context) {
  return AddVariantInputs(context, &AddTwo);
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeAddN(const NodeDef& node) {
  return node.output_types[0] == DType::kVariant
             ? MakeFunction<&AddVariantN>(node)
             : MakeFunction<&ComputeAddN>(node);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("AddN", kGpu, &MakeAddN);
}

}  // namespace leat::kernels::cuda::add_n
