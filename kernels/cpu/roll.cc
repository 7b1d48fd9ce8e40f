// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Roll, which shifts elements along axes. What leaves the
// end of an axis comes back at the start.
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/axis_runs.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::roll {
namespace {

// Returns the values of input `i`, a scalar or a vector.
absl::StatusOr<Dims> GetValues(const KernelContext& context, int i,
                               absl::string_view name) {
  if (context.input(i).rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " must be a scalar or a 1-D vector. Found: ",
                     context.input(i).shape().DebugString()));
  }
  return GetIndices(context.input(i), name);
}

// Returns by how much each axis is shifted, as a number in [0, extent).
absl::StatusOr<Dims> GetShifts(const KernelContext& context) {
  const Shape& input = context.input(0).shape();
  if (input.rank() < 1) {
    return absl::InvalidArgumentError("input must be 1-D or higher");
  }
  LEAT_ASSIGN_OR_RETURN(const Dims shifts, GetValues(context, 1, "shift"));
  LEAT_ASSIGN_OR_RETURN(const Dims axes, GetValues(context, 2, "axis"));
  if (context.input(1).shape() != context.input(2).shape()) {
    return absl::InvalidArgumentError("shift and axis must have the same size");
  }
  Dims result(input.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + input.rank() : axes[i];
    if (axis < 0 || axis >= input.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " is out of range"));
    }
    const int64_t extent = input.dim(static_cast<int>(axis));
    if (extent == 0) continue;
    int64_t by = shifts[i] % extent;
    if (by < 0) by += extent;
    // An axis may be named several times. `shift` and `by` are below the
    // extent, but their sum may be above 2^63. So it is computed only if it is
    // below the extent, too.
    int64_t& shift = result[axis];
    shift = shift >= extent - by ? shift - (extent - by) : shift + by;
  }
  return result;
}

template <class E>
class Roll final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Dims shifts, GetShifts(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    std::vector<AxisRuns> runs;
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t shift = shifts[i];
      const int64_t rest = input.dim(i) - shift;
      runs.push_back({{.from = rest, .to = 0, .size = shift},
                      {.from = 0, .to = shift, .size = rest}});
    }
    CopyRuns(context.compute_queue(), runs, input.shape(), Elements<E>(input),
             input.shape(), MutableElements<E>(*output));
    return absl::OkStatus();
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Roll", kCpu, &MakeAnyElementKernel<Roll, kAttrT>);
}

}  // namespace leat::kernels::cpu::roll
