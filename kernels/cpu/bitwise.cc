// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of BitwiseAnd, BitwiseOr, BitwiseXor, LeftShift,
// RightShift, Invert and PopulationCount.
#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::bitwise {
namespace {

constexpr int64_t kCost = 4;

template <class Function>
struct As {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(Function()(a, b));
  }
};

// Returns the distance of a shift. A distance beyond the number of bits counts
// as the longest possible shift, and a negative distance as 0.
template <class T>
int Distance(T bits) {
  constexpr T kLongest = static_cast<T>(8 * sizeof(T) - 1);
  return static_cast<int>(std::clamp<T>(bits, 0, kLongest));
}

struct LeftShift {
  template <class T>
  static T Do(T x, T bits) {
    return static_cast<T>(static_cast<Wrapping<T>>(x) << Distance(bits));
  }
};

// Fills up with the sign of a signed number.
struct RightShift {
  template <class T>
  static T Do(T x, T bits) {
    return static_cast<T>(x >> Distance(bits));
  }
};

struct Invert {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(~x);
  }
};

struct PopulationCount {
  template <class T>
  static int Do(T x) {
    return std::popcount(static_cast<std::make_unsigned_t<T>>(x));
  }
};

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBinary(const NodeDef& node) {
  return MakeForType(node, "T", kInts, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<BinaryKernel>(&BinaryRowOf<Op, T, T>, kCost);
  });
}

// The output has the type of the input if R is void, and otherwise the type R.
template <class Op, class R = void>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(node, "T", kInts, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    using To = std::conditional_t<std::is_void_v<R>, T, R>;
    return std::make_unique<UnaryKernel>(&UnaryRowOf<Op, T, To>, kCost);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("BitwiseAnd", kCpu, &MakeBinary<As<std::bit_and<>>>);
  registry.Add("BitwiseOr", kCpu, &MakeBinary<As<std::bit_or<>>>);
  registry.Add("BitwiseXor", kCpu, &MakeBinary<As<std::bit_xor<>>>);
  registry.Add("LeftShift", kCpu, &MakeBinary<LeftShift>);
  registry.Add("RightShift", kCpu, &MakeBinary<RightShift>);
  registry.Add("Invert", kCpu, &MakeUnary<Invert>);
  registry.Add("PopulationCount", kCpu, &MakeUnary<PopulationCount, uint8_t>);
}

}  // namespace leat::kernels::cpu::bitwise
