// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Diag, which spreads a tensor over the diagonal of one
// of twice the rank, and of DiagPart, which reads such a diagonal.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::diag {
namespace {

template <class E>
class Diag final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.rank() < 1) {
      return absl::InvalidArgumentError("Input must be at least rank 1, got 0");
    }
    Dims dims(input.shape().dims().begin(), input.shape().dims().end());
    dims.insert(dims.end(), input.shape().dims().begin(),
                input.shape().dims().end());
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    E* to = MutableElements<E>(*output);
    ClearElements(to, shape.num_elements());
    const int64_t n = input.num_elements();
    CopyToStrided(context.compute_queue(), PlanStrided(Shape{n}, {n + 1}),
                  Elements<E>(input), to);
    return absl::OkStatus();
  }
};

template <class E>
class DiagPart final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const int half = input.rank() / 2;
    if (input.rank() % 2 != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The rank of the tensor should be even and positive, got shape ",
          input.shape().DebugString()));
    }
    for (int i = 0; i < half; ++i) {
      if (input.dim(i) != input.dim(half + i)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Invalid shape ", input.shape().DebugString(), ": dimensions ", i,
            " and ", half + i, " do not match."));
      }
    }
    LEAT_ASSIGN_OR_RETURN(
        const Shape shape,
        Shape::Create(input.shape().dims().first(static_cast<size_t>(half))));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    const int64_t n = shape.num_elements();
    CopyFromStrided(context.compute_queue(), PlanStrided(Shape{n}, {n + 1}),
                    Elements<E>(input), MutableElements<E>(*output));
    return absl::OkStatus();
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Diag", kCpu, &MakeElementKernel<Diag, kAttrT>);
  registry.Add("DiagPart", kCpu, &MakeElementKernel<DiagPart, kAttrT>);
}

}  // namespace leat::kernels::cpu::diag
