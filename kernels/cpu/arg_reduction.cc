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
#include "leat/kernels/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

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
    LEAT_ASSIGN_OR_RETURN(const int axis, GetAxis(context));
    Dims dims;
    int64_t outer = 1;
    int64_t inner = 1;
    for (int i = 0; i < input.rank(); ++i) {
      if (i == axis) continue;
      dims.push_back(input.dim(i));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    for (int i = 0; i < input.rank(); ++i) {
      (i < axis ? outer : inner) *= i == axis ? 1 : input.dim(i);
    }
    const T* from = input.data<T>().data();
    const int64_t n = input.dim(axis);
    const IndexWriter to(*output);
    ParallelFor(context.compute_queue(), outer * inner, 2 + n,
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

  static absl::StatusOr<int> GetAxis(const KernelContext& context) {
    const Shape& shape = context.input(0).shape();
    LEAT_ASSIGN_OR_RETURN(const Dims axes,
                          GetIndices(context.input(1), "dimension"));
    if (context.input(1).rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("dim must be a scalar, but received tensor of shape: ",
                       context.input(1).shape().DebugString()));
    }
    const int rank = shape.rank();
    if (axes[0] < -rank || axes[0] >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected dimension in the range [", -rank, ", ", rank,
                       "), but got ", axes[0]));
    }
    const int axis = static_cast<int>(axes[0] < 0 ? axes[0] + rank : axes[0]);
    if (shape.dim(axis) == 0) {
      return absl::InvalidArgumentError(absl::StrCat("Reduction axis ", axes[0],
                                                     " is empty in shape ",
                                                     shape.DebugString()));
    }
    return axis;
  }

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
