// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/indices/index_types.h"

#include <algorithm>

#include "leat/core/status_macros.h"

namespace leat::kernels {

absl::StatusOr<Tensor> InputIndices(KernelContext& context, int i) {
  const Tensor& input = context.input(i);
  if (input.dtype() != DType::kInt16) return input;
  LEAT_ASSIGN_OR_RETURN(
      Tensor wide, context.AllocateTemporary(DType::kInt32, input.shape()));
  const auto from = input.data<int16_t>();
  std::copy(from.begin(), from.end(), wide.mutable_data<int32_t>().begin());
  return wide;
}

}  // namespace leat::kernels
