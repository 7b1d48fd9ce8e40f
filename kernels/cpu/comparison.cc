// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Equal, NotEqual, Less, LessEqual, Greater and
// GreaterEqual.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::comparison {
namespace {

template <class Compare>
struct As {
  template <class W>
  static bool Do(const W& a, const W& b) {
    return Compare()(a, b);
  }
};

constexpr int64_t kCost = 4;
constexpr auto kComparable = kPlain + kStringOnly;

template <class Compare>
absl::StatusOr<std::unique_ptr<Kernel>> MakeOrder(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<BinaryKernel>(
                           &BinaryRowOf<As<Compare>, T, bool>, kCost);
                     });
}

// Computes Equal or NotEqual with incompatible_shape_error=false. If the shapes
// do not fit, the tensors are not equal, and the output is a scalar.
class LenientEquality final : public Kernel {
 public:
  LenientEquality(std::unique_ptr<Kernel> strict, bool if_incompatible)
      : strict_(std::move(strict)), if_incompatible_(if_incompatible) {}

  absl::Status Compute(KernelContext& context) const final {
    const Shape& a = context.input(0).shape();
    const Shape& b = context.input(1).shape();
    if (a == b || BroadcastShapes(a, b).ok()) return strict_->Compute(context);
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
    output->mutable_data<bool>()[0] = if_incompatible_;
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<Kernel> strict_;
  const bool if_incompatible_;
};

template <class Compare, bool if_incompatible>
absl::StatusOr<std::unique_ptr<Kernel>> MakeEquality(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      bool strict, node.attrs.GetOr<bool>("incompatible_shape_error", true));
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        MakeForType(node, "T", kComparable,
                                    [](auto tag) -> std::unique_ptr<Kernel> {
                                      using T = typename decltype(tag)::type;
                                      return std::make_unique<BinaryKernel>(
                                          &BinaryRowOf<As<Compare>, T, bool>,
                                          kCost);
                                    }));
  if (strict) return kernel;
  return std::unique_ptr<Kernel>(
      std::make_unique<LenientEquality>(std::move(kernel), if_incompatible));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Equal", kCpu, &MakeEquality<std::equal_to<>, false>);
  registry.Add("NotEqual", kCpu, &MakeEquality<std::not_equal_to<>, true>);
  registry.Add("Less", kCpu, &MakeOrder<std::less<>>);
  registry.Add("LessEqual", kCpu, &MakeOrder<std::less_equal<>>);
  registry.Add("Greater", kCpu, &MakeOrder<std::greater<>>);
  registry.Add("GreaterEqual", kCpu, &MakeOrder<std::greater_equal<>>);
}

}  // namespace leat::kernels::cpu::comparison
