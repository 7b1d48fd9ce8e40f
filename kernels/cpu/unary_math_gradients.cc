// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Kernels of ReciprocalGrad, SqrtGrad, RsqrtGrad, SigmoidGrad and TanhGrad.
// They compute the gradient of an op's input from the op's output y and from
// dy, the gradient of y.
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unary_math_gradients {
namespace {

struct ReciprocalGrad {
  template <class W>
  static W Do(W y, W dy) {
    return -dy * y * y;
  }
};
struct SqrtGrad {
  template <class W>
  static W Do(W y, W dy) {
    return W(0.5) * dy / y;
  }
};
struct RsqrtGrad {
  template <class W>
  static W Do(W y, W dy) {
    return W(-0.5) * dy * y * y * y;
  }
};
struct SigmoidGrad {
  template <class W>
  static W Do(W y, W dy) {
    return dy * y * (1 - y);
  }
};
struct TanhGrad {
  template <class W>
  static W Do(W y, W dy) {
    return dy * (1 - y * y);
  }
};

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeGradient(const NodeDef& node) {
  return MakeForType(
      node, "T", kFloats, [](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<BinaryKernel>(&BinaryRowOf<Op, T, T>,
                                              /*cost=*/6, /*failure=*/"",
                                              BinaryKernel::Shapes::kEqual);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReciprocalGrad", kCpu, &MakeGradient<ReciprocalGrad>);
  registry.Add("SqrtGrad", kCpu, &MakeGradient<SqrtGrad>);
  registry.Add("RsqrtGrad", kCpu, &MakeGradient<RsqrtGrad>);
  registry.Add("SigmoidGrad", kCpu, &MakeGradient<SigmoidGrad>);
  registry.Add("TanhGrad", kCpu, &MakeGradient<TanhGrad>);
}

}  // namespace leat::kernels::cpu::unary_math_gradients
