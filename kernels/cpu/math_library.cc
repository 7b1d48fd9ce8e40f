// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the functions that the standard library computes one
// element at a time: Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Asinh, Acosh,
// Atanh, Expm1, Erf, Erfc and NextAfter.
#include <cmath>
#include <complex>
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/math_library.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::math_library {
namespace {

constexpr int64_t kCost = 200;

template <const auto& types, class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<UnaryKernel>(&UnaryRowOf<Op, T, T>, kCost);
  });
}

template <const auto& types, class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBinary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<BinaryKernel>(&BinaryRowOf<Op, T, T>, kCost);
  });
}

struct NextAfter {
  template <class W>
  static W Do(W x, W to) {
    return std::nextafter(x, to);
  }
};

void AddComplexFunctions(KernelRegistry& registry) {
  const auto add = [&](absl::string_view op, KernelFactory factory) {
    registry.Add(op, kCpu, factory);
  };
  constexpr const auto& kTypes = kFloatsAndComplexes;
  add("Tan", &MakeUnary<kTypes, functors::Tan>);
  add("Asin", &MakeUnary<kTypes, functors::Asin>);
  add("Acos", &MakeUnary<kTypes, functors::Acos>);
  add("Atan", &MakeUnary<kTypes, functors::Atan>);
  add("Sinh", &MakeUnary<kTypes, functors::Sinh>);
  add("Cosh", &MakeUnary<kTypes, functors::Cosh>);
  add("Asinh", &MakeUnary<kTypes, functors::Asinh>);
  add("Acosh", &MakeUnary<kTypes, functors::Acosh>);
  add("Atanh", &MakeUnary<kTypes, functors::Atanh>);
  add("Expm1", &MakeUnary<kTypes, functors::Expm1>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  AddComplexFunctions(registry);
  registry.Add("Erf", kCpu, &MakeUnary<kFloats, functors::Erf>);
  registry.Add("Erfc", kCpu, &MakeUnary<kFloats, functors::Erfc>);
  registry.Add("Atan2", kCpu, &MakeBinary<kFloats, functors::Atan2>);
  registry.Add("NextAfter", kCpu, &MakeBinary<kFloat32And64, NextAfter>);
}

}  // namespace leat::kernels::cpu::math_library
