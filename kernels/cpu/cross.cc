// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Cross, the cross product of vectors of three elements.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::cross {
namespace {

absl::Status CheckShapes(const Shape& a, const Shape& b) {
  if (a != b) {
    return absl::InvalidArgumentError(
        absl::StrCat("Both inputs must be of same shape: ", a.DebugString(),
                     " vs. ", b.DebugString()));
  }
  if (a.rank() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input must be at least 1D", a.DebugString()));
  }
  if (a.dim(a.rank() - 1) != 3) {
    return absl::FailedPreconditionError(
        "Cross-products are only defined for 3-element vectors.");
  }
  return absl::OkStatus();
}

template <class T>
class Cross final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    LEAT_RETURN_IF_ERROR(CheckShapes(a.shape(), b.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, a.shape()));
    const T* const u = a.data<T>().data();
    const T* const v = b.data<T>().data();
    T* const to = output->mutable_data<T>().data();
    ParallelFor(context.compute_queue(), a.num_elements() / 3, /*cost=*/4,
                [=](int64_t begin, int64_t end) {
                  for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
                    to[i] = Difference(u[i + 1], v[i + 2], u[i + 2], v[i + 1]);
                    to[i + 1] = Difference(u[i + 2], v[i], u[i], v[i + 2]);
                    to[i + 2] = Difference(u[i], v[i + 1], u[i + 1], v[i]);
                  }
                });
    return absl::OkStatus();
  }

 private:
  // Returns a * b - c * d. Integers wrap around.
  static T Difference(T a, T b, T c, T d) {
    using N = Ring<Wide<T>>;
    return static_cast<T>(static_cast<N>(a) * static_cast<N>(b) -
                          static_cast<N>(c) * static_cast<N>(d));
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeCross(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<Cross<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Cross", kCpu, &MakeCross);
}

}  // namespace leat::kernels::cpu::cross
