// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Neg, Square, Abs, Sign, Reciprocal, Inv, Sqrt, Rsqrt,
// Floor, Ceil, Round and Rint, which take one instruction or two per element.
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/unary_math.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unary_math {
namespace {

template <class Op, const auto& types>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<UnaryKernel>(&UnaryRowOf<Op, T, T>, /*cost=*/4);
  });
}

constexpr auto kSigned = kFloats + kSignedInts;
constexpr auto kSignedAndComplexes = kSigned + kComplexes;
constexpr auto kRounded = kFloats + kIndices;

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Neg", kCpu, &MakeUnary<functors::Neg, kSignedAndComplexes>);
  registry.Add("Square", kCpu,
               &MakeUnary<functors::Square, kNumbersAndComplexes>);
  registry.Add("Abs", kCpu, &MakeUnary<functors::Abs, kSigned>);
  registry.Add("Sign", kCpu, &MakeUnary<functors::Sign, kSignedAndComplexes>);
  registry.Add("Reciprocal", kCpu,
               &MakeUnary<functors::Reciprocal, kFloatsAndComplexes>);
  registry.Add("Sqrt", kCpu, &MakeUnary<functors::Sqrt, kFloatsAndComplexes>);
  registry.Add("Rsqrt", kCpu, &MakeUnary<functors::Rsqrt, kFloatsAndComplexes>);
  registry.Add("Inv", kCpu,
               &MakeUnary<functors::Reciprocal, kFloatsAndComplexes>);
  registry.Add("Floor", kCpu, &MakeUnary<functors::Floor, kFloats>);
  registry.Add("Ceil", kCpu, &MakeUnary<functors::Ceil, kFloats>);
  registry.Add("Round", kCpu, &MakeUnary<functors::Round, kRounded>);
  registry.Add("Rint", kCpu, &MakeUnary<functors::Round, kFloat32And64>);
}

}  // namespace leat::kernels::cpu::unary_math
