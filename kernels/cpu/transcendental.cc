// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Exp, Log, Log1p, Sin, Cos, Sigmoid and Tanh. They use
// Eigen's vectorised functions, whose results are off by a few units in the
// last place at most.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::transcendental {
namespace {

template <class W>
using Array = Eigen::Array<W, Eigen::Dynamic, 1>;

struct Exp {
  template <class X>
  static auto Do(const X& x) {
    return x.exp();
  }
};
struct Log {
  template <class X>
  static auto Do(const X& x) {
    return x.log();
  }
};
// Uses the standard library. Eigen's vectorised form rounds 1 + x to 1 if x is
// tiny, so its result would be off by more than a few units in the last place.
struct Log1p {
  template <class W>
  static W Of(W x) {
    return std::log1p(x);
  }
  // 1 + x loses bits of a small x, and the quotient makes up for it.
  template <class R>
  static std::complex<R> Of(std::complex<R> x) {
    const std::complex<R> sum = R(1) + x;
    const std::complex<R> log = std::log(sum);
    if (sum == R(1) || log == sum) return x;  // tiny or infinite
    return x * (log / (sum - R(1)));
  }
  template <class X>
  static auto Do(const X& x) {
    return x.unaryExpr([](typename X::Scalar v) { return Of(v); });
  }
};
struct Sin {
  template <class X>
  static auto Do(const X& x) {
    return x.sin();
  }
};
struct Cos {
  template <class X>
  static auto Do(const X& x) {
    return x.cos();
  }
};
// Does not use Eigen's logistic(). For x far from 0, the result of logistic()
// is off by hundreds of units in the last place.
struct Sigmoid {
  template <class X>
  static auto Do(const X& x) {
    using W = typename X::Scalar;
    return W(1) / (W(1) + (-x).exp());
  }
};
struct Tanh {
  template <class X>
  static auto Do(const X& x) {
    return x.tanh();
  }
};

template <class Op, class W>
void Apply(const W* input, W* output, int64_t n) {
  Eigen::Map<Array<W>>(output, n) =
      Op::Do(Eigen::Map<const Array<W>>(input, n));
}

template <class Op, class T>
void Row(const char* input, char* output, int64_t n) {
  const T* in = reinterpret_cast<const T*>(input);
  T* out = reinterpret_cast<T*>(output);
  if constexpr (std::is_same_v<Wide<T>, T>) {
    Apply<Op>(in, out, n);
  } else {
    constexpr int64_t kBlock = 256;
    float block[kBlock];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t size = std::min(kBlock, n - begin);
      for (int64_t i = 0; i < size; ++i) block[i] = in[begin + i];
      Apply<Op>(block, block, size);
      for (int64_t i = 0; i < size; ++i) out[begin + i] = T(block[i]);
    }
  }
}

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(node, "T", kFloatsAndComplexes,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<UnaryKernel>(&Row<Op, T>,
                                                            /*cost=*/30);
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Exp", kCpu, &MakeUnary<Exp>);
  registry.Add("Log", kCpu, &MakeUnary<Log>);
  registry.Add("Log1p", kCpu, &MakeUnary<Log1p>);
  registry.Add("Sin", kCpu, &MakeUnary<Sin>);
  registry.Add("Cos", kCpu, &MakeUnary<Cos>);
  registry.Add("Sigmoid", kCpu, &MakeUnary<Sigmoid>);
  registry.Add("Tanh", kCpu, &MakeUnary<Tanh>);
}

}  // namespace leat::kernels::cpu::transcendental
