// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of IsNan, IsInf, IsFinite and ApproximateEqual.
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/predicates.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::predicates {
namespace {

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(
      node, "T", kFloats, [](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<UnaryKernel>(&UnaryRowOf<Op, T, bool>,
                                             /*cost=*/4);
      });
}

// Says whether x and y are no further apart than the tolerance.
template <class T>
class ApproximateEqual final : public Kernel {
 public:
  explicit ApproximateEqual(float tolerance) : tolerance_(tolerance) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    if (x.shape() != y.shape()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "x and y must be of the same shape. x shape: ",
          x.shape().DebugString(), ". y shape: ", y.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, x.shape()));
    const T* a = x.data<T>().data();
    const T* b = y.data<T>().data();
    bool* z = output->mutable_data<bool>().data();
    ParallelFor(context.compute_queue(), output->num_elements(), /*cost=*/1,
                [&](int64_t begin, int64_t end) {
                  const T tolerance = tolerance_;
                  for (int64_t i = begin; i < end; ++i) {
                    z[i] = std::fabs(a[i] - b[i]) <= tolerance;
                  }
                });
    return absl::OkStatus();
  }

 private:
  const T tolerance_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeApproximateEqual(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const float tolerance,
                        node.attrs.GetOr<float>("tolerance", 1e-5f));
  return MakeForType(node, "T", kFloat32And64,
                     [&](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<ApproximateEqual<T>>(tolerance);
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("IsNan", kCpu, &MakeUnary<functors::IsNan>);
  registry.Add("IsInf", kCpu, &MakeUnary<functors::IsInf>);
  registry.Add("IsFinite", kCpu, &MakeUnary<functors::IsFinite>);
  registry.Add("ApproximateEqual", kCpu, &MakeApproximateEqual);
}

}  // namespace leat::kernels::cpu::predicates
