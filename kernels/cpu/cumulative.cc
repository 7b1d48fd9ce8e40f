// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Cumsum and Cumprod, which compute running sums and
// products along an axis, from either end.
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::cumulative {
namespace {

struct Sum {
  template <class W>
  static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) + static_cast<Ring<W>>(b));
  }
  static constexpr int kIdentity = 0;
};

struct Prod {
  template <class W>
  static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) * static_cast<Ring<W>>(b));
  }
  static constexpr int kIdentity = 1;
};

template <class Op, class T>
class Cumulative final : public Kernel {
 public:
  Cumulative(bool exclusive, bool reverse)
      : exclusive_(exclusive), reverse_(reverse) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const int rank = input.rank();
    if (context.input(1).rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("ScanOp: axis must be a scalar, not ",
                       context.input(1).shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(const Dims axes,
                          GetIndices(context.input(1), "axis"));
    if (axes[0] < -rank || axes[0] >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("ScanOp: Expected scan axis in the range [", -rank, ", ",
                       rank, "), but got ", axes[0]));
    }
    const int axis = static_cast<int>(axes[0] < 0 ? axes[0] + rank : axes[0]);
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    const int64_t n = input.dim(axis);
    const int64_t inner = input.shape().Strides()[axis];
    ParallelFor(context.compute_queue(), input.num_elements() / n, 4 + n,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t start = i / inner * n * inner + i % inner;
                    Scan(from + start, n, inner, to + start);
                  }
                });
    return absl::OkStatus();
  }

 private:
  using W = Wide<T>;

  void Scan(const T* from, int64_t n, int64_t stride, T* to) const {
    W total = static_cast<W>(Op::kIdentity);
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
  return MakeForType(
      node, "T", kNumbers, [&](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<Cumulative<Op, T>>(exclusive, reverse);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Cumsum", kCpu, &MakeCumulative<Sum>);
  registry.Add("Cumprod", kCpu, &MakeCumulative<Prod>);
}

}  // namespace leat::kernels::cpu::cumulative
