// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MulNoNan, Xdivy, Xlogy and Xlog1py: products and
// quotients that are 0 where one factor is 0, even if the other factor is
// infinite or NaN.
#include <cmath>
#include <complex>
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::zero_products {
namespace {

struct MulNoNan {
  template <class W>
  static W Do(W x, W y) {
    return y == W(0) ? W(0) : x * y;
  }
};

struct Xdivy {
  template <class W>
  static W Do(W x, W y) {
    return x == W(0) ? W(0) : x / y;
  }
};

struct Xlogy {
  template <class W>
  static W Do(W x, W y) {
    return x == W(0) ? W(0) : x * std::log(y);
  }
};

struct Xlog1py {
  template <class W>
  static W Do(W x, W y) {
    return x == W(0) ? W(0) : x * Log1p(y);
  }

 private:
  template <class R>
  static R Log1p(R y) {
    return std::log1p(y);
  }
  template <class R>
  static std::complex<R> Log1p(std::complex<R> y) {
    return std::log(R(1) + y);
  }
};

template <class Op, int64_t cost>
absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef& node) {
  return MakeForType(
      node, "T", kFloatsAndComplexes, [](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<BinaryKernel>(&BinaryRowOf<Op, T, T>, cost);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MulNoNan", kCpu, &Make<MulNoNan, 6>);
  registry.Add("Xdivy", kCpu, &Make<Xdivy, 10>);
  registry.Add("Xlogy", kCpu, &Make<Xlogy, 200>);
  registry.Add("Xlog1py", kCpu, &Make<Xlog1py, 200>);
}

}  // namespace leat::kernels::cpu::zero_products
