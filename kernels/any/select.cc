// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Select and SelectV2. SelectV2 broadcasts its inputs.
// The values of Select have equal shapes. The condition of Select has the shape
// of the values, is a scalar, or is a vector that chooses whole rows.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::select {
namespace {

template <class E>
class SelectV2 final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& then = context.input(1);
    const Tensor& otherwise = context.input(2);
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<3> plan,
                          PlanBroadcast(context.input(0).shape(), then.shape(),
                                        otherwise.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({1, 2}, 0, plan.shape));
    if (plan.shape.num_elements() == 0) return absl::OkStatus();
    const bool* conditions =
        reinterpret_cast<const bool*>(context.input(0).raw_data());
    const E* t = Elements<E>(then);
    const E* e = Elements<E>(otherwise);
    E* to = MutableElements<E>(*output);
    if (GpuStream* stream = StreamOf(context)) {
      return SelectOnGpu(*stream, plan, sizeof(E), conditions, t, e, to);
    }
    const int64_t row_size = plan.row_size();
    const int64_t c_step = plan.strides[0].back();
    const int64_t t_step = plan.strides[1].back();
    const int64_t e_step = plan.strides[2].back();
    ParallelFor(context.compute_queue(), plan.num_rows(), 4 + row_size,
                [&](int64_t begin, int64_t end) {
                  E* out = to + begin * row_size;
                  plan.ForEachRow(begin, end,
                                  [&](const std::array<int64_t, 3>& from) {
                                    for (int64_t i = 0; i < row_size; ++i) {
                                      out[i] = conditions[from[0] + i * c_step]
                                                   ? t[from[1] + i * t_step]
                                                   : e[from[2] + i * e_step];
                                    }
                                    out += row_size;
                                  });
                });
    return absl::OkStatus();
  }
};

template <class E>
class Select final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& condition = context.input(0);
    const Shape& shape = context.input(1).shape();
    if (shape != context.input(2).shape()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'then' and 'else' must have the same size.  but received: ",
          shape.DebugString(), " vs. ",
          context.input(2).shape().DebugString()));
    }
    if (condition.shape() == shape || condition.rank() == 0) {
      return broadcasting_.Compute(context);
    }
    if (condition.rank() != 1 || shape.rank() == 0 ||
        condition.dim(0) != shape.dim(0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Number of batches of 'then' must match size of 'cond', but saw: ",
          shape.DebugString(), " vs. ", condition.shape().DebugString()));
    }
    return SelectRows(context);
  }

 private:
  static absl::Status SelectRows(KernelContext& context) {
    const bool* conditions =
        reinterpret_cast<const bool*>(context.input(0).raw_data());
    const Shape& shape = context.input(1).shape();
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({1, 2}, 0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const E* t = Elements<E>(context.input(1));
    const E* e = Elements<E>(context.input(2));
    E* to = MutableElements<E>(*output);
    const int64_t rows = shape.dim(0);
    const int64_t size = shape.num_elements() / rows;
    if (GpuStream* stream = StreamOf(context)) {
      const Shape matrix{rows, size};
      LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<3> plan,
                            PlanBroadcast(Shape{rows, 1}, matrix, matrix));
      return SelectOnGpu(*stream, plan, sizeof(E), conditions, t, e, to);
    }
    for (int64_t row = 0; row < rows; ++row) {
      const E* from = (conditions[row] ? t : e) + row * size;
      if (from != to + row * size) CopyElements(from, size, to + row * size);
    }
    return absl::OkStatus();
  }

  const SelectV2<E> broadcasting_{};
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Select", kCpu, &MakeAnyElementKernel<Select, kAttrT>);
  registry.Add("SelectV2", kCpu, &MakeAnyElementKernel<SelectV2, kAttrT>);
  registry.Add("Select", kGpu, &MakeAnyElementKernel<Select, kAttrT>);
  registry.Add("SelectV2", kGpu, &MakeAnyElementKernel<SelectV2, kAttrT>);
}

}  // namespace leat::kernels::any::select
