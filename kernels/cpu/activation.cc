// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Relu, Relu6, Elu, Selu, LeakyRelu, Softplus and
// Softsign and of their gradients.
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/activation.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::activation {
namespace {

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
    LEAT_RETURN_IF_ERROR(CheckSameSizeAndShape(context));
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

// Is the number of bits in the fraction of T.
template <class T>
constexpr int kFractionBits = std::numeric_limits<T>::digits - 1;
template <>
constexpr int kFractionBits<half> = 10;
template <>
constexpr int kFractionBits<bfloat16> = 7;

absl::StatusOr<std::unique_ptr<Kernel>> MakeSoftplus(const NodeDef& node) {
  return MakeForType(node, "T", kFloats, [](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<Unary<T, functors::Softplus>>(
        functors::SoftplusOf(kFractionBits<T>));
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Relu", kCpu, &MakeElementwise<Unary, functors::Relu, kNumbers>);
  registry.Add("Relu6", kCpu,
               &MakeElementwise<Unary, functors::Relu6, kNumbers>);
  registry.Add("Elu", kCpu, &MakeElementwise<Unary, functors::Elu, kFloats>);
  registry.Add("Selu", kCpu, &MakeElementwise<Unary, functors::Selu, kFloats>);
  registry.Add("Softsign", kCpu,
               &MakeElementwise<Unary, functors::Softsign, kFloats>);
  registry.Add("LeakyRelu", kCpu,
               &MakeElementwise<Unary, functors::LeakyRelu, kFloats>);
  registry.Add("Softplus", kCpu, &MakeSoftplus);
  registry.Add("ReluGrad", kCpu,
               &MakeElementwise<Binary, functors::ReluGrad, kNumbers>);
  registry.Add("Relu6Grad", kCpu,
               &MakeElementwise<Binary, functors::Relu6Grad, kNumbers>);
  registry.Add("EluGrad", kCpu,
               &MakeElementwise<Binary, functors::EluGrad, kFloats>);
  registry.Add("SeluGrad", kCpu,
               &MakeElementwise<Binary, functors::SeluGrad, kFloats>);
  registry.Add("SoftsignGrad", kCpu,
               &MakeElementwise<Binary, functors::SoftsignGrad, kFloats>);
  registry.Add("LeakyReluGrad", kCpu,
               &MakeElementwise<Binary, functors::LeakyReluGrad, kFloats>);
  registry.Add("SoftplusGrad", kCpu,
               &MakeElementwise<Binary, functors::SoftplusGrad, kFloats>);
}

}  // namespace leat::kernels::cpu::activation
