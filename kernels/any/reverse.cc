// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ReverseV2, which copies a view with negative strides.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::reverse {
namespace {

// Returns the axes to reverse, each in [0, rank).
absl::StatusOr<Dims> GetAxes(const Tensor& tensor, int rank) {
  if (tensor.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("'dims' must be 1-dimension, not ", tensor.rank()));
  }
  LEAT_ASSIGN_OR_RETURN(Dims axes, GetIndices(tensor, "axis"));
  Dims seen(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& axis = axes[i];
    if (axis < -rank || axis >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("'axis'[", i, "] = ", axis,
                       " is out of valid range [0, ", rank - 1, "]"));
    }
    if (axis < 0) axis += rank;
    if (++seen[axis] > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " specified more than once."));
    }
  }
  return axes;
}

template <class E>
class Reverse final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.rank() == 0 || input.num_elements() == 0) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(const Dims axes,
                          GetAxes(context.input(1), input.rank()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    Dims strides = input.shape().Strides();
    int64_t first = 0;
    for (const int64_t axis : axes) {
      first += (input.dim(static_cast<int>(axis)) - 1) * strides[axis];
      strides[axis] = -strides[axis];
    }
    return CopyFromStrided(context, PlanStrided(input.shape(), strides),
                           Elements<E>(input) + first,
                           MutableElements<E>(*output));
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReverseV2", kCpu, &MakeElementKernel<Reverse, kAttrT>);
  registry.Add("ReverseV2", kGpu, &MakeElementKernel<Reverse, kAttrT>);
}

}  // namespace leat::kernels::any::reverse
