// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Relu, Relu6, Elu, LeakyRelu and Softplus and of their
// gradients.
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::activation {
namespace {

// The type in which values of T are computed: float for 16-bit floats, T for
// others.
template <class T>
using Wide =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>,
                       float, T>;

// The activations as functions of one element. NaN stays NaN.
struct Relu {
  static constexpr int kNanoseconds = 1;
  template <class W>
  W operator()(W x) const {
    return x < W(0) ? W(0) : x;
  }
};
struct Relu6 {
  static constexpr int kNanoseconds = 1;
  template <class W>
  W operator()(W x) const {
    const W positive = x < W(0) ? W(0) : x;
    return positive > W(6) ? W(6) : positive;
  }
};
struct Elu {
  static constexpr int kNanoseconds = 10;
  template <class W>
  W operator()(W x) const {
    return x < W(0) ? std::expm1(x) : x;
  }
};
struct LeakyRelu {
  static constexpr int kNanoseconds = 1;
  float alpha = 0.2f;
  template <class W>
  W operator()(W x) const {
    return x > W(0) ? x : x * static_cast<W>(alpha);
  }
};
// Computes Softplus, log(1 + e^x). `threshold` is negative. Above -threshold
// the result rounds to x, and below threshold it rounds to e^x.
template <class T>
struct Softplus {
  static constexpr int kNanoseconds = 15;
  Wide<T> threshold = [] {
    if constexpr (std::is_same_v<T, half>) return std::log(0x1p-10f) + 2;
    if constexpr (std::is_same_v<T, bfloat16>) return std::log(0x1p-7f) + 2;
    return std::log(std::numeric_limits<Wide<T>>::epsilon()) + 2;
  }();
  template <class W>
  W operator()(W x) const {
    if (x > -threshold) return x;
    const W e = std::exp(x);
    return x < threshold ? e : std::log1p(e);
  }
};

// The gradients as functions of an element of the first input and an element of
// the second input.
struct ReluGrad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  W operator()(W gradient, W feature) const {
    // A multiplication needs no branch. As in TensorFlow, a gradient that is
    // NaN stays NaN even if the feature is not positive.
    return gradient * static_cast<W>(feature > W(0));
  }
};
struct Relu6Grad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  W operator()(W gradient, W feature) const {
    return gradient * static_cast<W>((feature > W(0)) & (feature < W(6)));
  }
};
struct EluGrad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  W operator()(W gradient, W output) const {
    return output < W(0) ? (output + W(1)) * gradient : gradient;
  }
};
struct LeakyReluGrad {
  static constexpr int kNanoseconds = 1;
  float alpha = 0.2f;
  template <class W>
  W operator()(W gradient, W feature) const {
    return feature > W(0) ? gradient : gradient * static_cast<W>(alpha);
  }
};
struct SoftplusGrad {
  static constexpr int kNanoseconds = 10;
  template <class W>
  W operator()(W gradient, W feature) const {
    return gradient / (std::exp(-feature) + W(1));
  }
};
template <class T, class Function>
class Unary final : public Kernel {
 public:
  explicit Unary(Function function) : function_(function) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    const T* x = input.data<T>().data();
    T* y = output->mutable_data<T>().data();
    ParallelFor(context.compute_queue(), output->num_elements(),
                Function::kNanoseconds, [&](int64_t begin, int64_t end) {
                  const Function function = function_;
                  LEAT_INDEPENDENT_ITERATIONS
                  for (int64_t i = begin; i < end; ++i) {
                    y[i] = T(function(static_cast<Wide<T>>(x[i])));
                  }
                });
    return absl::OkStatus();
  }

 private:
  const Function function_;
};

template <class T, class Function>
class Binary final : public Kernel {
 public:
  explicit Binary(Function function) : function_(function) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& first = context.input(0);
    const Tensor& second = context.input(1);
    if (first.shape() != second.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Inputs to operation ", context.node().name, " of type ",
                       context.node().op->name,
                       " must have the same size and shape.  Input 0: ",
                       first.shape().DebugString(),
                       " != input 1: ", second.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0, 1}, 0, first.shape()));
    const T* a = first.data<T>().data();
    const T* b = second.data<T>().data();
    T* y = output->mutable_data<T>().data();
    ParallelFor(context.compute_queue(), output->num_elements(),
                Function::kNanoseconds, [&](int64_t begin, int64_t end) {
                  const Function function = function_;
                  LEAT_INDEPENDENT_ITERATIONS
                  for (int64_t i = begin; i < end; ++i) {
                    y[i] = T(function(static_cast<Wide<T>>(a[i]),
                                      static_cast<Wide<T>>(b[i])));
                  }
                });
    return absl::OkStatus();
  }

 private:
  const Function function_;
};

template <template <class, class> class K, class Function, const auto& kTypes>
absl::StatusOr<std::unique_ptr<Kernel>> MakeElementwise(const NodeDef& node) {
  Function function;
  if constexpr (requires { function.alpha; }) {
    LEAT_ASSIGN_OR_RETURN(function.alpha,
                          node.attrs.GetOr<float>("alpha", 0.2f));
  }
  return MakeForType(node, "T", kTypes, [&](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<K<T, Function>>(function);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeSoftplus(const NodeDef& node) {
  return MakeForType(node, "T", kFloats, [](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<Unary<T, Softplus<T>>>(Softplus<T>{});
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Relu", kCpu, &MakeElementwise<Unary, Relu, kNumbers>);
  registry.Add("Relu6", kCpu, &MakeElementwise<Unary, Relu6, kNumbers>);
  registry.Add("Elu", kCpu, &MakeElementwise<Unary, Elu, kFloats>);
  registry.Add("LeakyRelu", kCpu, &MakeElementwise<Unary, LeakyRelu, kFloats>);
  registry.Add("Softplus", kCpu, &MakeSoftplus);
  registry.Add("ReluGrad", kCpu, &MakeElementwise<Binary, ReluGrad, kNumbers>);
  registry.Add("Relu6Grad", kCpu,
               &MakeElementwise<Binary, Relu6Grad, kNumbers>);
  registry.Add("EluGrad", kCpu, &MakeElementwise<Binary, EluGrad, kFloats>);
  registry.Add("LeakyReluGrad", kCpu,
               &MakeElementwise<Binary, LeakyReluGrad, kFloats>);
  registry.Add("SoftplusGrad", kCpu,
               &MakeElementwise<Binary, SoftplusGrad, kFloats>);
}

}  // namespace leat::kernels::cpu::activation
