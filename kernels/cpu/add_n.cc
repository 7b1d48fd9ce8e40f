// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of AddN, which adds tensors of one shape in one pass,
// block by block.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"
#include "leat/kernels/variant_arithmetic.h"

namespace leat::kernels::cpu::add_n {
namespace {

// Is the number of elements in a block. The block's partial sums stay in the
// first-level cache.
constexpr int64_t kBlock = 1024;

template <class T>
using Inputs = absl::InlinedVector<const T*, 8>;

template <class T>
void AddTo(Wide<T>* sum, const T* input, int64_t n) {
  using W = Wide<T>;
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

// Adds the elements [begin, end) of all inputs. Adds them in the order of the
// inputs, as TensorFlow does, because the rounding of the sum depends on the
// order.
template <class T>
void SumBlock(const Inputs<T>& inputs, T* out, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  Wide<T> sum[kBlock];
  std::copy(inputs[0] + begin, inputs[0] + end, sum);
  for (size_t i = 1; i < inputs.size(); ++i) {
    AddTo(sum, inputs[i] + begin, n);
  }
  for (int64_t i = 0; i < n; ++i) out[begin + i] = static_cast<T>(sum[i]);
}

template <class T>
void Sum(WorkQueue& queue, const Inputs<T>& inputs, int64_t n, T* out) {
  if (n == 1) return SumBlock(inputs, out, 0, 1);
  ParallelFor(queue, (n + kBlock - 1) / kBlock,
              kBlock * static_cast<int64_t>(inputs.size()) / 8,
              [&](int64_t begin, int64_t end) {
                for (int64_t block = begin; block < end; ++block) {
                  SumBlock(inputs, out, block * kBlock,
                           std::min(n, (block + 1) * kBlock));
                }
              });
}

template <class T>
class AddN final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Shape& shape = context.input(0).shape();
    LEAT_ASSIGN_OR_RETURN(auto inputs, CheckedInputs(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, shape));
    Sum(context.compute_queue(), inputs, shape.num_elements(),
        output->mutable_data<T>().data());
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<Inputs<T>> CheckedInputs(const KernelContext& context) {
    Inputs<T> inputs;
    for (int i = 0; i < context.num_inputs(); ++i) {
      const Tensor& input = context.input(i);
      LEAT_RETURN_IF_ERROR(CheckSameSizeAndShape(context, i));
      inputs.push_back(input.data<T>().data());
    }
    return inputs;
  }
};

// Adds two tensors that variants hold.
absl::StatusOr<Tensor> AddTwo(KernelContext& context, const Tensor& a,
                              const Tensor& b) {
  LEAT_RETURN_IF_ERROR(CheckMemory(context, a));
  LEAT_RETURN_IF_ERROR(CheckMemory(context, b));
  LEAT_ASSIGN_OR_RETURN(Tensor sum,
                        context.AllocateTemporary(a.dtype(), a.shape()));
  const bool known = VisitDType(kNumbersAndComplexes, a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Inputs<T> inputs = {a.data<T>().data(), b.data<T>().data()};
    Sum(context.compute_queue(), inputs, a.num_elements(),
        sum.mutable_data<T>().data());
  });
  if (known) return sum;
  return absl::InvalidArgumentError(
      absl::StrCat("Trying to add unsupported dtype ", Name(a.dtype())));
}

absl::Status AddVariantN(KernelContext& context) {
  return AddVariantInputs(context, &AddTwo);
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeAddN(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (dtype == DType::kVariant) return MakeFunction<&AddVariantN>(node);
  return MakeForType(node, "T", kNumbersAndComplexes,
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
