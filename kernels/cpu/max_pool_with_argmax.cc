// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MaxPoolWithArgmax and of its gradient.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/pooling_loops.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/pooling_plan.h"
#include "leat/kernels/through_float.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu::max_pool_with_argmax {
namespace {

// Also outputs where the maxima are: the index of an element in its image, or
// in the whole input. The first of several maxima counts.
template <class T>
class MaxPoolWithArgmax final : public Kernel {
 public:
  MaxPoolWithArgmax(const WindowAttrs& attrs, bool include_batch)
      : attrs_(attrs), include_batch_(include_batch) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                          PlanPooling(attrs_, input.shape(), "tensor_in"));
    const WindowPlan p(std::move(plan));
    if (input.num_elements() == 0) {
      return absl::InvalidArgumentError("tensor_in must not be empty");
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    LEAT_ASSIGN_OR_RETURN(Tensor * argmax, context.AllocateOutput(1, p.output));
    const T* x = input.data<T>().data();
    T* y = output->mutable_data<T>().data();
    if (argmax->dtype() == DType::kInt64) {
      Find(context.compute_queue(), p, x, y,
           argmax->mutable_data<int64_t>().data());
      return absl::OkStatus();
    }
    if (input.num_elements() > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          "tensor_in has too many elements for an argmax of int32");
    }
    Find(context.compute_queue(), p, x, y,
         argmax->mutable_data<int32_t>().data());
    return absl::OkStatus();
  }

 private:
  template <class Index>
  void Find(WorkQueue& queue, const WindowPlan& p, const T* input, T* output,
            Index* argmax) const {
    ForOutputs(queue, p, [&](int64_t image, const Taps& taps, int64_t out) {
      const T* source = input + image * p.in_size();
      const int64_t base = include_batch_ ? image * p.in_size() : 0;
      for (int64_t c = 0; c < p.channels; ++c) {
        const int64_t best = FirstMaximum(p, taps, source + c) + c;
        output[out + c] = source[best];
        argmax[out + c] = static_cast<Index>(base + best);
      }
    });
  }

  // Returns the offset of the first greatest element of a window. An element
  // that is NaN counts only if it is the first one, as in TensorFlow.
  static int64_t FirstMaximum(const WindowPlan& p, const Taps& taps,
                              const T* x) {
    int64_t best = taps.First(p);
    ForTaps(p, taps, [&](int64_t pixel) {
      if (x[pixel] > x[best]) best = pixel;
    });
    return best;
  }

  const WindowAttrs attrs_;
  const bool include_batch_;
};

// Adds each gradient to the element that `argmax` names.
template <class T>
class MaxPoolGradWithArgmax final : public Kernel {
 public:
  MaxPoolGradWithArgmax(const WindowAttrs& attrs, bool include_batch)
      : attrs_(attrs), include_batch_(include_batch) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                          PlanMaxPoolGradWithArgmax(attrs_, context));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.input));
    const absl::Span<T> to = output->mutable_data<T>();
    std::fill(to.begin(), to.end(), T(0));
    const auto grad = context.input(1).data<T>();
    const auto argmax = context.input(2).data<int64_t>();
    using N = Ring<T>;
    const auto size = static_cast<int64_t>(to.size());
    for (size_t i = 0; i < grad.size(); ++i) {
      const int64_t image = static_cast<int64_t>(i) / p.out_size();
      const int64_t base = include_batch_ ? 0 : image * p.in_size();
      const int64_t index = argmax[i];
      if (index < -base || index >= size - base) {
        return absl::InvalidArgumentError(
            absl::StrCat("Invalid output gradient index: ", index,
                         ", the input has ", size, " elements"));
      }
      T& sum = to[static_cast<size_t>(base + index)];
      sum = static_cast<T>(static_cast<N>(sum) + static_cast<N>(grad[i]));
    }
    return absl::OkStatus();
  }

 private:
  const WindowAttrs attrs_;
  const bool include_batch_;
};

// Makes a kernel K<T> whose constructor also takes the attr
// include_batch_in_index.
template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeWithArgmax(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) {
    return ThroughFloat(node, &MakeWithArgmax<K>);
  }
  LEAT_ASSIGN_OR_RETURN(WindowAttrs attrs, WindowAttrs::Create(node));
  LEAT_ASSIGN_OR_RETURN(
      const bool include_batch,
      node.attrs.GetOr<bool>("include_batch_in_index", false));
  return MakeForType(node, "T", kMaxPoolTypes, [&](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<K<T>>(attrs, include_batch);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MaxPoolWithArgmax", kCpu, &MakeWithArgmax<MaxPoolWithArgmax>);
  registry.Add("MaxPoolGradWithArgmax", kCpu,
               &MakeWithArgmax<MaxPoolGradWithArgmax>);
}

}  // namespace leat::kernels::cpu::max_pool_with_argmax
