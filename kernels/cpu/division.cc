// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Div, RealDiv, DivNoNan, FloorDiv, TruncateDiv,
// FloorMod, TruncateMod, Mod and Pow, the binary ops that fail or branch on
// some values.
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/division.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::division {
namespace {

constexpr char kDivisionByZero[] = "Integer division by zero";

// Returns -a. For the most negative number, -a wraps around to the same number.
template <class T>
T Negate(T a) {
  return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
}

// Computes the quotient, rounded towards zero. The most negative number divided
// by -1 wraps around. Like Do of every integer op, this Do returns false if
// there is no result.
struct IntegerDiv {
  template <class T>
  static bool Do(T a, T b, T& result) {
    if (b == 0) return false;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        result = Negate(a);
        return true;
      }
    }
    result = static_cast<T>(a / b);
    return true;
  }
};

struct IntegerFloorDiv {
  template <class T>
  static bool Do(T a, T b, T& result) {
    if (!IntegerDiv::Do(a, b, result)) return false;
    if constexpr (std::is_signed_v<T>) {
      if (b != -1 && (a < 0) != (b < 0) && a % b != 0) --result;
    }
    return true;
  }
};

struct IntegerTruncateMod {
  template <class T>
  static bool Do(T a, T b, T& result) {
    if (b == 0) return false;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        result = 0;
        return true;
      }
    }
    result = static_cast<T>(a % b);
    return true;
  }
};

struct IntegerFloorMod {
  template <class T>
  static bool Do(T a, T b, T& result) {
    if (!IntegerTruncateMod::Do(a, b, result)) return false;
    if constexpr (std::is_signed_v<T>) {
      if (result != 0 && (b < 0) != (result < 0)) {
        result = static_cast<T>(result + b);
      }
    }
    return true;
  }
};

// Computes the power by repeated squaring; products wrap around.
struct IntegerPow {
  template <class T>
  static bool Do(T base, T exponent, T& result) {
    if (exponent < 0) return false;
    using U = Wrapping<T>;
    U power = static_cast<U>(base);
    U product = 1;
    for (auto rest = static_cast<std::make_unsigned_t<T>>(exponent); rest != 0;
         rest = static_cast<std::make_unsigned_t<T>>(rest >> 1)) {
      if (rest & 1) product *= power;
      power *= power;
    }
    result = static_cast<T>(product);
    return true;
  }
};

// Implements BinaryRow for an integer op that may fail.
template <class Op, class T>
bool CheckedRow(const char* a_data, int64_t a_step, const char* b_data,
                int64_t b_step, char* output, int64_t n) {
  const T* a = reinterpret_cast<const T*>(a_data);
  const T* b = reinterpret_cast<const T*>(b_data);
  T* out = reinterpret_cast<T*>(output);
  bool ok = true;
  for (int64_t i = 0; i < n; ++i) {
    T result = 0;
    ok &= Op::Do(a[i * a_step], b[i * b_step], result);
    out[i] = result;
  }
  return ok;
}

using KernelPtr = std::unique_ptr<Kernel>;

template <class Op, class T>
KernelPtr MakeChecked(const char* failure) {
  return std::make_unique<BinaryKernel>(&CheckedRow<Op, T>, /*cost=*/30,
                                        failure);
}

absl::StatusOr<KernelPtr> MakeRealDiv(const NodeDef& node) {
  return MakeForType(node, "T", kFloatsAndComplexes, [](auto tag) -> KernelPtr {
    using T = typename decltype(tag)::type;
    return std::make_unique<BinaryKernel>(&BinaryRowOf<functors::RealDiv, T, T>,
                                          6);
  });
}

absl::StatusOr<KernelPtr> MakeDivNoNan(const NodeDef& node) {
  return MakeForType(node, "T", kFloatsAndComplexes, [](auto tag) -> KernelPtr {
    using T = typename decltype(tag)::type;
    return std::make_unique<BinaryKernel>(
        &BinaryRowOf<functors::DivNoNan, T, T>, 6);
  });
}

absl::StatusOr<KernelPtr> MakeDiv(const NodeDef& node) {
  return MakeForType(node, "T", kNumbersAndComplexes,
                     [](auto tag) -> KernelPtr {
                       using T = typename decltype(tag)::type;
                       if constexpr (std::is_integral_v<T>) {
                         return MakeChecked<IntegerDiv, T>(kDivisionByZero);
                       } else {
                         return std::make_unique<BinaryKernel>(
                             &BinaryRowOf<functors::RealDiv, T, T>, 6);
                       }
                     });
}

// Makes a division whose quotients are integers: `Integer` divides integers,
// `Real` floats, and `Rounded` 16-bit floats.
template <class Integer, class Real, template <class> class Rounded>
absl::StatusOr<KernelPtr> MakeWholeDiv(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers, [](auto tag) -> KernelPtr {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      return MakeChecked<Integer, T>(kDivisionByZero);
    } else if constexpr (std::is_same_v<Wide<T>, T>) {
      return std::make_unique<BinaryKernel>(&BinaryRowOf<Real, T, T>, 8);
    } else {
      return std::make_unique<BinaryKernel>(&BinaryRowOf<Rounded<T>, T, T>, 30);
    }
  });
}

template <class Integer, class Real, const auto& types>
absl::StatusOr<KernelPtr> MakeRemainder(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> KernelPtr {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      return MakeChecked<Integer, T>(kDivisionByZero);
    } else {
      return std::make_unique<BinaryKernel>(&BinaryRowOf<Real, T, T>, 150);
    }
  });
}

constexpr auto kTruncated = kFloat32And64 + kIndices;

absl::StatusOr<KernelPtr> MakePow(const NodeDef& node) {
  return MakeForType(
      node, "T", kFloatsAndComplexes + kSignedInts, [](auto tag) -> KernelPtr {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) {
          return MakeChecked<IntegerPow, T>(
              "Integers to negative integer powers are not allowed");
        } else {
          return std::make_unique<BinaryKernel>(
              &BinaryRowOf<functors::Pow, T, T>, 250);
        }
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Div", kCpu, &MakeDiv);
  registry.Add("RealDiv", kCpu, &MakeRealDiv);
  registry.Add("DivNoNan", kCpu, &MakeDivNoNan);
  registry.Add("FloorDiv", kCpu,
               &MakeWholeDiv<IntegerFloorDiv, functors::FloorDiv,
                             functors::RoundedFloorDiv>);
  registry.Add("TruncateDiv", kCpu,
               &MakeWholeDiv<IntegerDiv, functors::TruncateDiv,
                             functors::RoundedTruncateDiv>);
  registry.Add("FloorMod", kCpu,
               &MakeRemainder<IntegerFloorMod, functors::FloorMod, kNumbers>);
  constexpr auto kTruncateMod =
      &MakeRemainder<IntegerTruncateMod, functors::TruncateMod, kTruncated>;
  registry.Add("TruncateMod", kCpu, kTruncateMod);
  registry.Add("Mod", kCpu, kTruncateMod);
  registry.Add("Pow", kCpu, &MakePow);
}

}  // namespace leat::kernels::cpu::division
