// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MaxPool and MaxPool3D, of their gradients, and of the
// gradients of these.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/pooling_loops.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/pooling_plan.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu::max_pool {
namespace {

// Returns the attrs. In version 2 of an op, ksize and strides are the inputs
// from number `first` on.
absl::StatusOr<WindowAttrs> WindowsOf(const WindowAttrs& attrs,
                                      const KernelContext& context, int first) {
  if (context.num_inputs() <= first) return attrs;
  return attrs.WithWindows(context.input(first), context.input(first + 1));
}

template <class T>
class MaxPool final : public Kernel {
 public:
  explicit MaxPool(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const WindowAttrs attrs,
                          WindowsOf(attrs_, context, 1));
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                          PlanPooling(attrs, input.shape(), "input"));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForOutputs(context.compute_queue(), p,
               [&](int64_t image, const Taps& taps, int64_t out) {
                 const T* source = from + image * p.in_size();
                 T* best = to + out;
                 // A window that lies wholly in the padding gives the lowest
                 // number, as in TensorFlow.
                 std::fill_n(best, p.channels,
                             std::numeric_limits<T>::lowest());
                 ForTaps(p, taps, [&](int64_t pixel) {
                   const T* x = source + pixel;
                   for (int64_t c = 0; c < p.channels; ++c) {
                     best[c] = x[c] > best[c] ? x[c] : best[c];
                   }
                 });
               });
    return absl::OkStatus();
  }

 private:
  const WindowAttrs attrs_;
};

// Adds each gradient to the first maximum of its window. With `kRelu`, only
// positive maxima get their gradient. The result is then the gradient of a Relu
// that is followed by the pooling.
template <class T, bool kRelu>
class MaxPoolGrad final : public Kernel {
 public:
  explicit MaxPoolGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& grad = context.input(2);
    LEAT_ASSIGN_OR_RETURN(const WindowAttrs attrs,
                          WindowsOf(attrs_, context, 3));
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan, PlanMaxPoolGrad(attrs, context));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    const T* gradients = grad.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForImages(context.compute_queue(), p, [&](int64_t image) {
      const T* x = from + image * p.in_size();
      const T* g = gradients + image * p.out_size();
      if constexpr (std::is_integral_v<T>) {
        BackpropagateIntegers(p, x, g, to + image * p.in_size());
      } else {
        Backpropagate(p, x, g, to + image * p.in_size());
      }
    });
    return absl::OkStatus();
  }

 private:
  // Computes the gradient of integers, whose sums wrap around.
  static void BackpropagateIntegers(const WindowPlan& p, const T* from,
                                    const T* gradients, T* to) {
    std::fill_n(to, p.in_size(), T(0));
    ForWindows(p, [&](const Taps& taps, int64_t out) {
      for (int64_t c = 0; c < p.channels; ++c) {
        int64_t best = -1;
        ForTaps(p, taps, [&](int64_t tap) {
          tap += c;
          if (best < 0 || from[tap] > from[best]) best = tap;
        });
        if (best < 0) continue;
        to[best] = static_cast<T>(static_cast<Wrapping<T>>(to[best]) +
                                  static_cast<Wrapping<T>>(gradients[out + c]));
      }
    });
  }

  // Floats are handled in blocks of kBlock channels, so that the maxima of a
  // block stay in registers. The code uses vector types because g++ compiles
  // conditional stores to branches.
  static constexpr int64_t kBlock = 32 / sizeof(T);
  using Whole = std::integral_constant<int64_t, kBlock>;
  using TapIndex = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  using Block [[gnu::vector_size(32)]] = T;
  using TapBlock [[gnu::vector_size(32)]] = TapIndex;

  // Loads `count` values; the rest of the block is zero.
  template <class Count>
  static Block Load(const T* from, Count count) {
    Block block = {};
    std::memcpy(&block, from, count * sizeof(T));
    return block;
  }

  static void Backpropagate(const WindowPlan& p, const T* from,
                            const T* gradients, T* to) {
    const bool overlap = p.WindowsOverlap();
    if (overlap || !p.WindowsCoverImage()) {
      std::fill_n(to, p.in_size(), T(0));
    }
    ForWindows(p, [&](const Taps& taps, int64_t out) {
      const T* g = gradients + out;
      for (int64_t c = 0; c < p.channels; c += kBlock) {
        const int64_t count = std::min(kBlock, p.channels - c);
        if (count < kBlock) {
          AddAtMaxima(p, taps, count, overlap, from + c, g + c, to + c);
        } else if (overlap) {
          AddAtMaxima(p, taps, Whole(), std::true_type(), from + c, g + c,
                      to + c);
        } else {
          AddAtMaxima(p, taps, Whole(), std::false_type(), from + c, g + c,
                      to + c);
        }
      }
    });
  }

  // Writes the gradients of one window to its first maxima, and zeros to its
  // other pixels. With `add`, adds the gradients to the existing values
  // instead. The first tap counts as the maximum, even if it is NaN, until a
  // greater value is found, as in TensorFlow. If `count` is Whole, its type
  // tells the compiler that one instruction loads a block.
  template <class Count, class Add>
  static void AddAtMaxima(const WindowPlan& p, const Taps& taps, Count count,
                          Add add, const T* from, const T* gradients, T* to) {
    if (taps.count() == 0) return;
    Block best = Load(from + taps.First(p), count);
    TapBlock where = {};
    TapIndex tap = 0;
    ForTaps(p, taps, [&](int64_t pixel) {
      const Block x = Load(from + pixel, count);
      where = x > best ? TapBlock{} + tap : where;
      best = x > best ? x : best;
      ++tap;
    });
    Block all = Load(gradients, count);
    // Multiplies the gradients by 1 or 0, as ReluGrad does.
    if constexpr (kRelu) all *= best > Block{} ? Block{} + T(1) : Block{};
    tap = 0;
    ForTaps(p, taps, [&](int64_t pixel) {
      Block sum = where == TapBlock{} + tap ? all : Block{};
      if (add) sum += Load(to + pixel, count);
      std::memcpy(to + pixel, &sum, count * sizeof(T));
      ++tap;
    });
  }

  const WindowAttrs attrs_;
};

// Computes the gradient of MaxPool3D. As in TensorFlow, each element that
// equals the maximum of its window gets the whole gradient, and so does one
// that differs from it by less than 0.00001.
template <class T>
class MaxPool3DGrad final : public Kernel {
 public:
  explicit MaxPool3DGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan, PlanMaxPoolGrad(attrs_, context));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.input));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* const inputs = context.input(0).data<T>().data();
    const T* const maxima = context.input(1).data<T>().data();
    const T* const gradients = context.input(2).data<T>().data();
    T* const results = output->mutable_data<T>().data();
    ForImages(context.compute_queue(), p, [&](int64_t image) {
      const T* const x = inputs + image * p.in_size();
      T* const to = results + image * p.in_size();
      std::fill_n(to, p.in_size(), T(0));
      ForWindows(p, [&](const Taps& taps, int64_t out) {
        const T* const y = maxima + image * p.out_size() + out;
        const T* const g = gradients + image * p.out_size() + out;
        ForTaps(p, taps, [&](int64_t pixel) {
          for (int64_t c = 0; c < p.channels; ++c) {
            const bool is_maximum = std::abs(x[pixel + c] - y[c]) < T(1e-5);
            to[pixel + c] += is_maximum ? g[c] : T(0);
          }
        });
      });
    });
    return absl::OkStatus();
  }

 private:
  const WindowAttrs attrs_;
};

// Computes the gradient of MaxPoolGrad with respect to its input grad: of each
// window, the element of `grad` where orig_input first has the maximum.
template <class T>
class MaxPoolGradGrad final : public Kernel {
 public:
  explicit MaxPoolGradGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                          PlanMaxPoolGradGrad(attrs_, context));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* x = context.input(0).data<T>().data();
    const T* maxima = context.input(1).data<T>().data();
    const T* grad = context.input(2).data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForOutputs(context.compute_queue(), p,
               [&](int64_t image, const Taps& taps, int64_t out) {
                 const int64_t base = image * p.in_size();
                 for (int64_t c = 0; c < p.channels; ++c) {
                   to[out + c] = AtMaximum(p, taps, x + base + c,
                                           grad + base + c, maxima[out + c]);
                 }
               });
    return absl::OkStatus();
  }

 private:
  // Returns the element of `grad` at the first element of the window in `x`
  // that equals `maximum`, and 0 if there is none.
  static T AtMaximum(const WindowPlan& p, const Taps& taps, const T* x,
                     const T* grad, T maximum) {
    for (int64_t z = taps.planes.begin; z < taps.planes.end; ++z) {
      for (int64_t y = taps.rows.begin; y < taps.rows.end; ++y) {
        for (int64_t i = taps.columns.begin; i < taps.columns.end; ++i) {
          const int64_t pixel = p.Pixel(z, y, i);
          if (x[pixel] == maximum) return grad[pixel];
        }
      }
    }
    return T(0);
  }

  const WindowAttrs attrs_;
};

template <class T>
using PlainMaxPoolGrad = MaxPoolGrad<T, false>;
template <class T>
using MaxPoolReluGrad = MaxPoolGrad<T, true>;

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MaxPool", kCpu, &MakePooling<MaxPool, kMaxPoolTypes>);
  registry.Add("MaxPoolV2", kCpu, &MakePooling<MaxPool, kMaxPoolTypes>);
  registry.Add("MaxPoolGradV2", kCpu,
               &MakePooling<PlainMaxPoolGrad, kMaxPoolTypes>);
  registry.Add("MaxPoolGradGrad", kCpu,
               &MakePooling<MaxPoolGradGrad, kMaxPoolTypes>);
  registry.Add("MaxPoolGrad", kCpu,
               &MakePooling<PlainMaxPoolGrad, kMaxPoolTypes>);
  registry.Add("_LeatMaxPoolReluGrad", kCpu, &MakePooling<MaxPoolReluGrad>);
  registry.Add("MaxPool3D", kCpu, &MakePooling<MaxPool, kVolumeTypes>);
  registry.Add("MaxPool3DGrad", kCpu,
               &MakePooling<MaxPool3DGrad, kVolumeTypes>);
  registry.Add("MaxPool3DGradGrad", kCpu,
               &MakePooling<MaxPoolGradGrad, kVolumeTypes>);
}

}  // namespace leat::kernels::cpu::max_pool
