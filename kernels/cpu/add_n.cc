// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddN: the sum of tensors of one shape, in one pass over blocks.
#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/parallel_for.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::add_n {
namespace {

template <class T>
class AddN final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Shape& shape = context.input(0).shape();
    LEAT_ASSIGN_OR_RETURN(auto inputs, CheckedInputs(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, shape));
    T* out = output->mutable_data<T>().data();
    const int64_t n = shape.num_elements();
    if (n == 1) {
      Sum(inputs, out, 0, 1);
      return absl::OkStatus();
    }
    ParallelFor(context.compute_queue(), (n + kBlock - 1) / kBlock,
                kBlock * static_cast<int64_t>(inputs.size()) / 8,
                [&](int64_t begin, int64_t end) {
                  for (int64_t block = begin; block < end; ++block) {
                    Sum(inputs, out, block * kBlock,
                        std::min(n, (block + 1) * kBlock));
                  }
                });
    return absl::OkStatus();
  }

 private:
  using Inputs = absl::InlinedVector<const T*, 8>;
  using W = Wide<T>;
  // So that a block's partial sums stay in the first cache.
  static constexpr int64_t kBlock = 1024;

  static absl::StatusOr<Inputs> CheckedInputs(const KernelContext& context) {
    const Shape& shape = context.input(0).shape();
    Inputs inputs;
    for (int i = 0; i < context.num_inputs(); ++i) {
      const Tensor& input = context.input(i);
      if (input.shape() != shape) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Inputs to operation ", context.node().name,
            " of type AddN must have the same size and shape.  Input 0: ",
            shape.DebugString(), " != input ", i, ": ",
            input.shape().DebugString()));
      }
      inputs.push_back(input.data<T>().data());
    }
    return inputs;
  }

  static void AddTo(W* sum, const T* input, int64_t n) {
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) {
        sum[i] = static_cast<T>(static_cast<Wrapping<T>>(sum[i]) +
                                static_cast<Wrapping<T>>(input[i]));
      } else {
        sum[i] += static_cast<W>(input[i]);
      }
    }
  }

  // In order: TensorFlow's result depends on it too.
  static void Sum(const Inputs& inputs, T* out, int64_t begin, int64_t end) {
    const int64_t n = end - begin;
    W sum[kBlock];
    std::copy(inputs[0] + begin, inputs[0] + end, sum);
    for (size_t i = 1; i < inputs.size(); ++i) {
      AddTo(sum, inputs[i] + begin, n);
    }
    for (int64_t i = 0; i < n; ++i) out[begin + i] = static_cast<T>(sum[i]);
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAddN(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<AddN<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("AddN", kCpu, &MakeAddN);
}

}  // namespace leat::kernels::cpu::add_n
