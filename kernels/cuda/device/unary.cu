// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/unary.h"

#include <cmath>
#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/unary_forms.h"
#include "leat/kernels/functors/activation.h"
#include "leat/kernels/functors/predicates.h"
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

// The number of bits in the fraction of T.
template <class T>
constexpr int kFractionBits = std::is_same_v<T, Half>       ? 10
                              : std::is_same_v<T, Bfloat16> ? 7
                              : std::is_same_v<T, float>    ? 23
                                                            : 52;

using namespace kernels::functors;

bool LaunchSigned(CUstream_st* stream, Unary function, ElementType type,
                  const UnaryOperands& operands) {
  using Signed = Types<Half, Bfloat16, float, double, int64_t>;
  bool known = true;
  known &= VisitType(Signed(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachElement<T, T>(stream, operands, StaticUnary<decltype(op)>());
    };
    switch (function) {
      case Unary::kNeg:
        return launch(Neg());
      case Unary::kSquare:
        return launch(Square());
      case Unary::kAbs:
        return launch(Abs());
      case Unary::kSign:
        return launch(Sign());
      case Unary::kRound:
        return launch(Round());
      default:
        known = false;
    }
  });
  return known;
}

bool LaunchActivation(CUstream_st* stream, Unary function, ElementType type,
                      const UnaryOperands& operands, float alpha) {
  bool known = true;
  known &= VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto activation) {
      ForEachElement<T, T>(stream, operands, activation);
    };
    switch (function) {
      case Unary::kRelu:
        return launch(Relu());
      case Unary::kRelu6:
        return launch(Relu6());
      case Unary::kElu:
        return launch(Elu());
      case Unary::kSelu:
        return launch(Selu());
      case Unary::kLeakyRelu:
        return launch(LeakyRelu{alpha});
      case Unary::kGeluExact:
        return launch(GeluExact());
      case Unary::kGeluApproximate:
        return launch(GeluApproximate());
      case Unary::kSoftplus:
        return launch(SoftplusOf(kFractionBits<T>));
      case Unary::kSoftsign:
        return launch(Softsign());
      default:
        known = false;
    }
  });
  return known;
}

bool LaunchFloat(CUstream_st* stream, Unary function, ElementType type,
                 const UnaryOperands& operands) {
  bool known = true;
  known &= VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachElement<T, T>(stream, operands, op);
    };
    switch (function) {
      case Unary::kReciprocal:
        return launch(StaticUnary<Reciprocal>());
      case Unary::kSqrt:
        return launch(StaticUnary<Sqrt>());
      case Unary::kRsqrt:
        return launch(StaticUnary<Rsqrt>());
      case Unary::kFloor:
        return launch(StaticUnary<Floor>());
      case Unary::kCeil:
        return launch(StaticUnary<Ceil>());
      case Unary::kExp:
        return launch(Exp());
      case Unary::kLog:
        return launch(Log());
      case Unary::kLog1p:
        return launch(Log1p());
      case Unary::kSin:
        return launch(Sin());
      case Unary::kCos:
        return launch(Cos());
      case Unary::kSigmoid:
        return launch(Sigmoid());
      case Unary::kTanh:
        return launch(Tanh());
      default:
        known = false;
    }
  });
  return known;
}

}  // namespace

bool LaunchUnary(CUstream_st* stream, Unary function, ElementType type,
                 const UnaryOperands& operands, float alpha) {
  if (function == Unary::kLogicalNot) {
    if (type != ElementType::kBool) return false;
    ForEachElement<bool, bool>(stream, operands, LogicalNot());
    return true;
  }
  if (function <= Unary::kRound) {
    return LaunchSigned(stream, function, type, operands);
  }
  if (function >= Unary::kRelu) {
    return LaunchActivation(stream, function, type, operands, alpha);
  }
  return LaunchFloat(stream, function, type, operands);
}

bool LaunchPredicate(CUstream_st* stream, Predicate function, ElementType type,
                     const UnaryOperands& operands) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (function) {
      case Predicate::kIsNan:
        return ForEachElement<T, bool>(stream, operands, StaticUnary<IsNan>());
      case Predicate::kIsInf:
        return ForEachElement<T, bool>(stream, operands, StaticUnary<IsInf>());
      case Predicate::kIsFinite:
        return ForEachElement<T, bool>(stream, operands,
                                       StaticUnary<IsFinite>());
    }
  });
}

}  // namespace leat::cuda
