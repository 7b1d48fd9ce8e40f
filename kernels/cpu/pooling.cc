// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MaxPool, MaxPoolWithArgmax, AvgPool, MaxPool3D,
// AvgPool3D and their gradients. Their inner loop always runs over adjacent
// channels.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/pooling_plan.h"
#include "leat/kernels/through_float.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu::pooling {
namespace {

// A Plan is a PoolingPlan with functions that the loops below use.
struct Plan : PoolingPlan {
  explicit Plan(PoolingPlan plan) : PoolingPlan(std::move(plan)) {}

  int64_t in_size() const {
    return planes.extent * rows.extent * columns.extent * channels;
  }
  int64_t out_size() const {
    return planes.positions * rows.positions * columns.positions * channels;
  }
  // Returns the offset of an input pixel in its image.
  int64_t Pixel(int64_t z, int64_t y, int64_t x) const {
    return ((z * rows.extent + y) * columns.extent + x) * channels;
  }
  // Returns true if some pixels may lie in several windows.
  bool WindowsOverlap() const {
    return planes.stride < planes.size || rows.stride < rows.size ||
           columns.stride < columns.size;
  }
  // Returns true if every pixel of an image lies in some window.
  bool WindowsCoverImage() const {
    auto cover = [](const functors::WindowAxis& axis) {
      return axis.stride <= axis.size &&
             (axis.positions - 1) * axis.stride - axis.before + axis.size >=
                 axis.extent;
    };
    return cover(planes) && cover(rows) && cover(columns);
  }
  // Returns about how many nanoseconds one output element takes.
  int64_t cost() const {
    const int64_t taps = std::min(planes.size, planes.extent) *
                         std::min(rows.size, rows.extent) *
                         std::min(columns.size, columns.extent);
    return taps / (channels >= 8 ? 4 : 1) + 1;
  }
};

// The part of a window that lies inside of the image.
struct Taps {
  Taps(const Plan& p, int64_t plane, int64_t row, int64_t column)
      : planes(p.planes.PixelsOf(plane)),
        rows(p.rows.PixelsOf(row)),
        columns(p.columns.PixelsOf(column)) {}
  int64_t count() const { return planes.size() * rows.size() * columns.size(); }
  // Returns the offset of the first pixel.
  int64_t First(const Plan& p) const {
    return p.Pixel(planes.begin, rows.begin, columns.begin);
  }
  functors::Range planes, rows, columns;
};

// Calls `body(pixel)` with the offset of each pixel of a window, in row-major
// order.
template <class Body>
void ForTaps(const Plan& p, const Taps& taps, Body body) {
  for (int64_t z = taps.planes.begin; z < taps.planes.end; ++z) {
    for (int64_t y = taps.rows.begin; y < taps.rows.end; ++y) {
      for (int64_t x = taps.columns.begin; x < taps.columns.end; ++x) {
        body(p.Pixel(z, y, x));
      }
    }
  }
}

// Calls `body(image, taps, output offset)` for every output pixel, in parallel.
template <class Body>
void ForOutputs(WorkQueue& queue, const Plan& p, Body body) {
  const int64_t image_rows = p.planes.positions * p.rows.positions;
  ParallelFor(queue, p.images * image_rows,
              p.columns.positions * p.channels * p.cost(),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t row = i % image_rows;
                  for (int64_t x = 0; x < p.columns.positions; ++x) {
                    const Taps taps(p, row / p.rows.positions,
                                    row % p.rows.positions, x);
                    body(i / image_rows, taps,
                         (i * p.columns.positions + x) * p.channels);
                  }
                }
              });
}

// Calls `body(taps, output offset)` for every output pixel of one image.
template <class Body>
void ForWindows(const Plan& p, Body body) {
  int64_t offset = 0;
  for (int64_t plane = 0; plane < p.planes.positions; ++plane) {
    for (int64_t row = 0; row < p.rows.positions; ++row) {
      for (int64_t column = 0; column < p.columns.positions; ++column) {
        body(Taps(p, plane, row, column), offset);
        offset += p.channels;
      }
    }
  }
}

// Calls `body(image)` for every image, in parallel. Only one thread writes to
// an image's gradient.
template <class Body>
void ForImages(WorkQueue& queue, const Plan& p, Body body) {
  ParallelFor(queue, p.images, p.out_size() * p.cost() + p.in_size() / 8,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) body(i);
              });
}

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
    const Plan p(std::move(plan));
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
    const Plan p(std::move(plan));
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
  static void BackpropagateIntegers(const Plan& p, const T* from,
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

  static void Backpropagate(const Plan& p, const T* from, const T* gradients,
                            T* to) {
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
  static void AddAtMaxima(const Plan& p, const Taps& taps, Count count, Add add,
                          const T* from, const T* gradients, T* to) {
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
    const Plan p(std::move(plan));
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
    const Plan p(std::move(plan));
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
  void Find(WorkQueue& queue, const Plan& p, const T* input, T* output,
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
  static int64_t FirstMaximum(const Plan& p, const Taps& taps, const T* x) {
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
    const Plan p(std::move(plan));
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

  const WindowAttrs attrs_;
  const bool include_batch_;
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
    const Plan p(std::move(plan));
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
  static T AtMaximum(const Plan& p, const Taps& taps, const T* x, const T* grad,
                     T maximum) {
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

// Averages the pixels of each window that lie inside of the image.
template <class T>
class AvgPool final : public Kernel {
 public:
  explicit AvgPool(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                          PlanPooling(attrs_, input.shape(), "value"));
    const Plan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForOutputs(context.compute_queue(), p,
               [&](int64_t image, const Taps& taps, int64_t out) {
                 const T* source = from + image * p.in_size();
                 T* sum = to + out;
                 std::fill_n(sum, p.channels, T(0));
                 ForTaps(p, taps, [&](int64_t pixel) {
                   const T* x = source + pixel;
                   for (int64_t c = 0; c < p.channels; ++c) sum[c] += x[c];
                 });
                 const T count = static_cast<T>(taps.count());
                 for (int64_t c = 0; c < p.channels; ++c) sum[c] /= count;
               });
    return absl::OkStatus();
  }

 private:
  const WindowAttrs attrs_;
};

template <class T>
class AvgPoolGrad final : public Kernel {
 public:
  explicit AvgPoolGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& grad = context.input(1);
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan, PlanAvgPoolGrad(attrs_, context));
    const Plan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.input));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* gradients = grad.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForImages(context.compute_queue(), p, [&](int64_t image) {
      Backpropagate(p, gradients + image * p.out_size(),
                    to + image * p.in_size());
    });
    return absl::OkStatus();
  }

 private:
  static void Backpropagate(const Plan& p, const T* gradients, T* to) {
    std::fill_n(to, p.in_size(), T(0));
    ForWindows(p, [&](const Taps& taps, int64_t out) {
      const T* g = gradients + out;
      const T share = T(1) / static_cast<T>(taps.count());
      ForTaps(p, taps, [&](int64_t pixel) {
        for (int64_t c = 0; c < p.channels; ++c) {
          to[pixel + c] += g[c] * share;
        }
      });
    });
  }

  const WindowAttrs attrs_;
};

// These are the types that MaxPool and its gradient handle without conversion.
// 16-bit floats are converted to float.
inline constexpr auto kExact = kFloat32And64 + kInts;
// Volumes are pooled as float only.
inline constexpr DTypeList<float> kFloatOnly;

template <class T>
using PlainMaxPoolGrad = MaxPoolGrad<T, false>;
template <class T>
using MaxPoolReluGrad = MaxPoolGrad<T, true>;

template <template <class> class K, const auto& types = kFloat32And64>
absl::StatusOr<std::unique_ptr<Kernel>> MakePooling(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) {
    return ThroughFloat(node, &MakePooling<K, types>);
  }
  LEAT_ASSIGN_OR_RETURN(WindowAttrs attrs, WindowAttrs::Create(node));
  return MakeForType(node, "T", types, [&](auto type) {
    return std::make_unique<K<typename decltype(type)::type>>(attrs);
  });
}

// Makes a kernel of indices of maxima.
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
  return MakeForType(node, "T", kExact, [&](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<K<T>>(attrs, include_batch);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MaxPool", kCpu, &MakePooling<MaxPool, kExact>);
  registry.Add("MaxPoolV2", kCpu, &MakePooling<MaxPool, kExact>);
  registry.Add("MaxPoolGradV2", kCpu, &MakePooling<PlainMaxPoolGrad, kExact>);
  registry.Add("MaxPoolWithArgmax", kCpu, &MakeWithArgmax<MaxPoolWithArgmax>);
  registry.Add("MaxPoolGradWithArgmax", kCpu,
               &MakeWithArgmax<MaxPoolGradWithArgmax>);
  registry.Add("MaxPoolGradGrad", kCpu, &MakePooling<MaxPoolGradGrad, kExact>);
  registry.Add("MaxPoolGrad", kCpu, &MakePooling<PlainMaxPoolGrad, kExact>);
  registry.Add("_LeatMaxPoolReluGrad", kCpu, &MakePooling<MaxPoolReluGrad>);
  registry.Add("AvgPool", kCpu, &MakePooling<AvgPool>);
  registry.Add("AvgPoolGrad", kCpu, &MakePooling<AvgPoolGrad>);
  registry.Add("MaxPool3D", kCpu, &MakePooling<MaxPool, kFloatOnly>);
  registry.Add("MaxPool3DGrad", kCpu, &MakePooling<MaxPool3DGrad, kFloatOnly>);
  registry.Add("MaxPool3DGradGrad", kCpu,
               &MakePooling<MaxPoolGradGrad, kFloatOnly>);
  registry.Add("AvgPool3D", kCpu, &MakePooling<AvgPool, kFloatOnly>);
  registry.Add("AvgPool3DGrad", kCpu, &MakePooling<AvgPoolGrad, kFloatOnly>);
}

}  // namespace leat::kernels::cpu::pooling
