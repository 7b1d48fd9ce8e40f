// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Cumsum and Cumprod, which compute running sums and
// products along an axis, from either end.
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/functors/reduction.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scan_lines.h"

namespace leat::kernels::cpu::cumulative {
namespace {

template <class Op, class T>
class Cumulative final : public Kernel {
 public:
  Cumulative(bool exclusive, bool reverse)
      : exclusive_(exclusive), reverse_(reverse) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const ScanLines lines, FindScanLines(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ParallelFor(context.compute_queue(), lines.outer * lines.inner, 4 + lines.n,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t start =
                        i / lines.inner * lines.n * lines.inner +
                        i % lines.inner;
                    Scan(from + start, lines.n, lines.inner, to + start);
                  }
                });
    return absl::OkStatus();
  }

 private:
  using W = Wide<T>;

  void Scan(const T* from, int64_t n, int64_t stride, T* to) const {
    W total = Op::template kIdentity<W>;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = (reverse_ ? n - 1 - k : k) * stride;
      const W next = Op::Do(total, static_cast<W>(from[i]));
      to[i] = static_cast<T>(exclusive_ ? total : next);
      total = next;
    }
  }

  const bool exclusive_;
  const bool reverse_;
};

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeCumulative(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool exclusive,
                        node.attrs.GetOr<bool>("exclusive", false));
  LEAT_ASSIGN_OR_RETURN(const bool reverse,
                        node.attrs.GetOr<bool>("reverse", false));
  return MakeForType(node, "T", kNumbersAndComplexes,
                     [&](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<Cumulative<Op, T>>(exclusive,
                                                                  reverse);
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Cumsum", kCpu, &MakeCumulative<functors::Sum>);
  registry.Add("Cumprod", kCpu, &MakeCumulative<functors::Prod>);
}

}  // namespace leat::kernels::cpu::cumulative
