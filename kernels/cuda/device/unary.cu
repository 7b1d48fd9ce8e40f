// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/unary.h"

#include <cmath>
#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/activation.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/functors/unary_math.h"

namespace leat::cuda {
namespace {

struct Exp {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return std::exp(x);
  }
};
struct Log {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return std::log(x);
  }
};
struct Log1p {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return std::log1p(x);
  }
};
struct Sin {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return std::sin(x);
  }
};
struct Cos {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return std::cos(x);
  }
};
struct Sigmoid {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return W(1) / (W(1) + std::exp(-x));
  }
};
struct Tanh {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return std::tanh(x);
  }
};
struct LogicalNot {
  LEAT_DEVICE bool operator()(bool x) const { return !x; }
};

// Wraps the static function of `Op` in a function object.
template <class Op>
struct Static {
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return Op::Do(x);
  }
};

// Computes a pack of elements.
template <class T, class Function>
struct Elements {
  static constexpr int kSize = kPack<T>;
  const T* from;
  T* to;
  int64_t n;
  bool is_aligned;
  Function function;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    Pack<T, size> pack = Load<size>(from + at);
    for (int k = 0; k < size; ++k) {
      pack.elements[k] = static_cast<T>(
          function(static_cast<kernels::Wide<T>>(pack.elements[k])));
    }
    Store(pack, to + at);
  }
};

// The arguments of LaunchUnary.
struct Arguments {
  CUstream_st* stream;
  const void* from;
  void* to;
  int64_t n;
};

template <class T, class Function>
void Launch(const Arguments& arguments, const Function& function) {
  const T* from = static_cast<const T*>(arguments.from);
  T* to = static_cast<T*>(arguments.to);
  constexpr int kSize = kPack<T>;
  ForEach(arguments.stream, NumPacks<kSize>(arguments.n),
          Elements<T, Function>{from, to, arguments.n,
                                IsAligned<kSize>(from) && IsAligned<kSize>(to),
                                function});
}

// The number of bits in the fraction of T.
template <class T>
constexpr int kFractionBits = std::is_same_v<T, Half>       ? 10
                              : std::is_same_v<T, Bfloat16> ? 7
                              : std::is_same_v<T, float>    ? 23
                                                            : 52;

using namespace kernels::functors;

bool LaunchSigned(const Arguments& arguments, Unary function,
                  ElementType type) {
  using Signed = Types<Half, Bfloat16, float, double, int64_t>;
  bool known = true;
  known &= VisitType(Signed(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (function) {
      case Unary::kNeg:
        return Launch<T>(arguments, Static<Neg>());
      case Unary::kSquare:
        return Launch<T>(arguments, Static<Square>());
      case Unary::kAbs:
        return Launch<T>(arguments, Static<Abs>());
      case Unary::kSign:
        return Launch<T>(arguments, Static<Sign>());
      default:
        known = false;
    }
  });
  return known;
}

bool LaunchActivation(const Arguments& arguments, Unary function,
                      ElementType type, float alpha) {
  bool known = true;
  known &= VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (function) {
      case Unary::kRelu:
        return Launch<T>(arguments, Relu());
      case Unary::kRelu6:
        return Launch<T>(arguments, Relu6());
      case Unary::kElu:
        return Launch<T>(arguments, Elu());
      case Unary::kLeakyRelu:
        return Launch<T>(arguments, LeakyRelu{alpha});
      case Unary::kGeluExact:
        return Launch<T>(arguments, GeluExact());
      case Unary::kGeluApproximate:
        return Launch<T>(arguments, GeluApproximate());
      case Unary::kSoftplus:
        return Launch<T>(arguments, SoftplusOf(kFractionBits<T>));
      default:
        known = false;
    }
  });
  return known;
}

bool LaunchFloat(const Arguments& arguments, Unary function, ElementType type) {
  bool known = true;
  known &= VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (function) {
      case Unary::kReciprocal:
        return Launch<T>(arguments, Static<Reciprocal>());
      case Unary::kSqrt:
        return Launch<T>(arguments, Static<Sqrt>());
      case Unary::kRsqrt:
        return Launch<T>(arguments, Static<Rsqrt>());
      case Unary::kFloor:
        return Launch<T>(arguments, Static<Floor>());
      case Unary::kExp:
        return Launch<T>(arguments, Exp());
      case Unary::kLog:
        return Launch<T>(arguments, Log());
      case Unary::kLog1p:
        return Launch<T>(arguments, Log1p());
      case Unary::kSin:
        return Launch<T>(arguments, Sin());
      case Unary::kCos:
        return Launch<T>(arguments, Cos());
      case Unary::kSigmoid:
        return Launch<T>(arguments, Sigmoid());
      case Unary::kTanh:
        return Launch<T>(arguments, Tanh());
      default:
        known = false;
    }
  });
  return known;
}

}  // namespace

bool LaunchUnary(CUstream_st* stream, Unary function, ElementType type,
                 const void* from, void* to, int64_t n, float alpha) {
  const Arguments arguments{stream, from, to, n};
  if (function == Unary::kLogicalNot) {
    if (type != ElementType::kBool) return false;
    Launch<bool>(arguments, LogicalNot());
    return true;
  }
  if (function <= Unary::kSign) return LaunchSigned(arguments, function, type);
  if (function >= Unary::kRelu) {
    return LaunchActivation(arguments, function, type, alpha);
  }
  return LaunchFloat(arguments, function, type);
}

}  // namespace leat::cuda
