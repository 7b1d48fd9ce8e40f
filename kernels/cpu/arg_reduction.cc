// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ArgMax and ArgMin. If several elements are equal, the
// first one is chosen. NaN is never chosen, as in TensorFlow. If all elements
// are NaN, the index is 0.
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/indices/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/arg_reduction_plan.h"

namespace leat::kernels::cpu::arg_reduction {
namespace {

struct Greater {
  template <class W>
  static bool Beats(W a, W b) {
    return a > b;
  }
  template <class W>
  static constexpr W kWorst = std::numeric_limits<W>::lowest();
};

struct Smaller {
  template <class W>
  static bool Beats(W a, W b) {
    return a < b;
  }
  template <class W>
  static constexpr W kWorst = std::numeric_limits<W>::max();
};

template <class Order, class T>
class ArgReduction final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const ArgReductionPlan plan,
                          PlanArgReduction(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.output));
    if (plan.output.num_elements() == 0) return absl::OkStatus();
    const ReductionStep& step = plan.step;
    const T* from = input.data<T>().data();
    const int64_t n = step.reduced;
    const int64_t inner = step.inner;
    const IndexWriter to(*output);
    ParallelFor(context.compute_queue(), step.outer * inner, 2 + n,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t row = i / inner;
                    to.Set(i,
                           Find(from + row * n * inner + i % inner, n, inner));
                  }
                });
    return absl::OkStatus();
  }

 private:
  using W = Wide<T>;

  static int64_t Find(const T* from, int64_t n, int64_t stride) {
    W best = Order::template kWorst<W>;
    int64_t where = 0;
    for (int64_t i = 0; i < n; ++i) {
      const W value = static_cast<W>(from[i * stride]);
      if (Order::Beats(value, best)) {
        best = value;
        where = i;
      }
    }
    return where;
  }
};

template <class Order>
absl::StatusOr<std::unique_ptr<Kernel>> MakeArg(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers + kBoolOnly,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<ArgReduction<Order, T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ArgMax", kCpu, &MakeArg<Greater>);
  registry.Add("ArgMin", kCpu, &MakeArg<Smaller>);
}

}  // namespace leat::kernels::cpu::arg_reduction
