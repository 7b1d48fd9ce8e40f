// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Neg, Square, Abs, Sign, Reciprocal, Sqrt, Rsqrt and
// Floor, which take one instruction or two per element.
#include <cmath>
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/ring.h"

namespace leat::kernels::cpu::unary_math {
namespace {

struct Neg {
  template <class W>
  static W Do(W x) {
    if constexpr (std::is_integral_v<W>) {
      return static_cast<W>(Ring<W>{0} - static_cast<Ring<W>>(x));
    } else {
      return -x;
    }
  }
};

struct Square {
  template <class W>
  static W Do(W x) {
    return static_cast<W>(static_cast<Ring<W>>(x) * static_cast<Ring<W>>(x));
  }
};

struct Abs {
  template <class W>
  static W Do(W x) {
    if constexpr (std::is_integral_v<W>) {
      return x < 0 ? Neg::Do(x) : x;
    } else {
      return std::fabs(x);
    }
  }
};

// Zero keeps its sign, and NaN stays NaN.
struct Sign {
  template <class W>
  static W Do(W x) {
    return x > 0 ? W{1} : (x < 0 ? W{-1} : x);
  }
};

struct Reciprocal {
  template <class W>
  static W Do(W x) {
    return 1 / x;
  }
};

struct Sqrt {
  template <class W>
  static W Do(W x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  template <class W>
  static W Do(W x) {
    return 1 / std::sqrt(x);
  }
};

struct Floor {
  template <class W>
  static W Do(W x) {
    return std::floor(x);
  }
};

template <class Op, const auto& types>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<UnaryKernel>(&UnaryRowOf<Op, T, T>, /*cost=*/4);
  });
}

constexpr auto kSigned = kFloats + kSignedInts;

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Neg", kCpu, &MakeUnary<Neg, kSigned>);
  registry.Add("Square", kCpu, &MakeUnary<Square, kNumbers>);
  registry.Add("Abs", kCpu, &MakeUnary<Abs, kSigned>);
  registry.Add("Sign", kCpu, &MakeUnary<Sign, kSigned>);
  registry.Add("Reciprocal", kCpu, &MakeUnary<Reciprocal, kFloats>);
  registry.Add("Sqrt", kCpu, &MakeUnary<Sqrt, kFloats>);
  registry.Add("Rsqrt", kCpu, &MakeUnary<Rsqrt, kFloats>);
  registry.Add("Floor", kCpu, &MakeUnary<Floor, kFloats>);
}

}  // namespace leat::kernels::cpu::unary_math
