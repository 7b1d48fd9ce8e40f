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
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::math_library {
namespace {

constexpr int64_t kCost = 200;

// Has the function as its `Do`, for UnaryRowOf and BinaryRowOf.
template <auto function>
struct Call {
  template <class... W>
  static auto Do(W... x) {
    return function(x...);
  }
};

template <const auto& types, auto function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<UnaryKernel>(&UnaryRowOf<Call<function>, T, T>,
                                         kCost);
  });
}

template <const auto& types, auto function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBinary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<BinaryKernel>(&BinaryRowOf<Call<function>, T, T>,
                                          kCost);
  });
}

template <class R>
R Expm1(R x) {
  return std::expm1(x);
}
// Computes e^a * (cos b + i sin b) - 1 so that no bits of a small result are
// lost: cos b - 1 is -2 * sin(b / 2)^2.
template <class R>
std::complex<R> Expm1(std::complex<R> x) {
  const R sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * sine * sine,
          std::exp(x.real()) * std::sin(x.imag())};
}

void AddComplexFunctions(KernelRegistry& registry) {
  const auto add = [&](absl::string_view op, KernelFactory factory) {
    registry.Add(op, kCpu, factory);
  };
  constexpr const auto& kTypes = kFloatsAndComplexes;
  add("Tan", &MakeUnary<kTypes, [](auto x) { return std::tan(x); }>);
  add("Asin", &MakeUnary<kTypes, [](auto x) { return std::asin(x); }>);
  add("Acos", &MakeUnary<kTypes, [](auto x) { return std::acos(x); }>);
  add("Atan", &MakeUnary<kTypes, [](auto x) { return std::atan(x); }>);
  add("Sinh", &MakeUnary<kTypes, [](auto x) { return std::sinh(x); }>);
  add("Cosh", &MakeUnary<kTypes, [](auto x) { return std::cosh(x); }>);
  add("Asinh", &MakeUnary<kTypes, [](auto x) { return std::asinh(x); }>);
  add("Acosh", &MakeUnary<kTypes, [](auto x) { return std::acosh(x); }>);
  add("Atanh", &MakeUnary<kTypes, [](auto x) { return std::atanh(x); }>);
  add("Expm1", &MakeUnary<kTypes, [](auto x) { return Expm1(x); }>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  AddComplexFunctions(registry);
  registry.Add("Erf", kCpu,
               &MakeUnary<kFloats, [](auto x) { return std::erf(x); }>);
  registry.Add("Erfc", kCpu,
               &MakeUnary<kFloats, [](auto x) { return std::erfc(x); }>);
  registry.Add(
      "Atan2", kCpu,
      &MakeBinary<kFloats, [](auto y, auto x) { return std::atan2(y, x); }>);
  registry.Add("NextAfter", kCpu,
               &MakeBinary<kFloat32And64, [](auto x, auto to) {
                 return std::nextafter(x, to);
               }>);
}

}  // namespace leat::kernels::cpu::math_library
