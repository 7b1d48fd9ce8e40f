// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MulNoNan, Xdivy, Xlogy and Xlog1py.
#include <complex>
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/zero_products.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::zero_products {
namespace {

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
  registry.Add("MulNoNan", kCpu, &Make<functors::MulNoNan, 6>);
  registry.Add("Xdivy", kCpu, &Make<functors::Xdivy, 10>);
  registry.Add("Xlogy", kCpu, &Make<functors::Xlogy, 200>);
  registry.Add("Xlog1py", kCpu, &Make<functors::Xlog1py, 200>);
}

}  // namespace leat::kernels::cpu::zero_products
