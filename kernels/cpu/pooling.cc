// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MaxPool, MaxPoolGrad, AvgPool, AvgPoolGrad. An NCHW tensor is taken as
// batch x channels images of one channel, so that the inner loop always runs
// over channels that lie side by side.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/parallel_for.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu::pooling {
namespace {

// One pooling, NHWC.
struct Plan {
  int64_t images = 0, channels = 0;
  int64_t in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  Window height = {}, width = {};
  int64_t top = 0, left = 0;  // padding
  Shape output = {};

  int64_t in_size() const { return in_height * in_width * channels; }
  int64_t out_size() const { return out_height * out_width * channels; }
  // Rough nanoseconds per output element.
  int64_t cost() const {
    const int64_t taps = std::min<int64_t>(height.size, in_height) *
                         std::min<int64_t>(width.size, in_width);
    return taps / (channels >= 8 ? 4 : 1) + 1;
  }
};

absl::StatusOr<Plan> MakePlan(const WindowAttrs& attrs, const Shape& input,
                              absl::string_view what) {
  LEAT_ASSIGN_OR_RETURN(ImageShape in, ToImageShape(attrs, input, what));
  LEAT_ASSIGN_OR_RETURN(WindowPositions rows,
                        PlaceWindow(in.height, attrs.height));
  LEAT_ASSIGN_OR_RETURN(WindowPositions columns,
                        PlaceWindow(in.width, attrs.width));
  Plan plan;
  ImageShape out = in;
  out.height = rows.count;
  out.width = columns.count;
  LEAT_ASSIGN_OR_RETURN(plan.output, FromImageShape(attrs, out));
  plan.images = in.batch;
  plan.channels = in.channels;
  if (attrs.channels_first) {
    LEAT_ASSIGN_OR_RETURN(plan.images, CheckedMultiply(in.batch, in.channels));
    plan.channels = 1;
  }
  plan.in_height = in.height;
  plan.in_width = in.width;
  plan.out_height = out.height;
  plan.out_width = out.width;
  plan.height = attrs.height;
  plan.width = attrs.width;
  plan.top = rows.before;
  plan.left = columns.before;
  return plan;
}

// The part of a window that lies inside the image.
struct Taps {
  Taps(const Plan& p, int64_t row, int64_t column)
      : top(row * p.height.stride - p.top),
        left(column * p.width.stride - p.left),
        bottom(std::min(p.in_height, top + p.height.size)),
        right(std::min(p.in_width, left + p.width.size)) {
    top = std::max<int64_t>(0, top);
    left = std::max<int64_t>(0, left);
  }
  int64_t count() const {
    return std::max<int64_t>(0, bottom - top) *
           std::max<int64_t>(0, right - left);
  }
  int64_t top, left, bottom, right;
};

// Calls `body(pixel)` for the offset of each pixel, in row-major order.
template <class Body>
void ForTaps(const Plan& p, const Taps& taps, Body body) {
  for (int64_t y = taps.top; y < taps.bottom; ++y) {
    for (int64_t x = taps.left; x < taps.right; ++x) {
      body((y * p.in_width + x) * p.channels);
    }
  }
}

// Calls `body(image, row, column, output offset)` for every output pixel.
template <class Body>
void ForOutputs(WorkQueue& queue, const Plan& p, Body body) {
  const int64_t rows = p.images * p.out_height;
  ParallelFor(queue, rows, p.out_width * p.channels * p.cost(),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  for (int64_t x = 0; x < p.out_width; ++x) {
                    body(i / p.out_height, i % p.out_height, x,
                         (i * p.out_width + x) * p.channels);
                  }
                }
              });
}

// The same by whole images, whose input gradients nobody else touches.
template <class Body>
void ForImages(WorkQueue& queue, const Plan& p, Body body) {
  ParallelFor(queue, p.images, p.out_size() * p.cost() + p.in_size() / 8,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) body(i);
              });
}

template <class T>
class MaxPool final : public Kernel {
 public:
  explicit MaxPool(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Plan p, MakePlan(attrs_, input.shape(), "input"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForOutputs(context.compute_queue(), p,
               [&](int64_t image, int64_t row, int64_t column, int64_t out) {
                 const T* source = from + image * p.in_size();
                 T* best = to + out;
                 // A window may lie in the padding: TensorFlow's lowest.
                 std::fill_n(best, p.channels,
                             std::numeric_limits<T>::lowest());
                 ForTaps(p, Taps(p, row, column), [&](int64_t pixel) {
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

absl::Status CheckShape(absl::string_view what, const Shape& got,
                        const Shape& expected) {
  if (got == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Expected ", what, " shape to be ", expected.DebugString(),
                   ", but got ", got.DebugString()));
}

// Gradients go to the first maximum of each window.
template <class T>
class MaxPoolGrad final : public Kernel {
 public:
  explicit MaxPoolGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& grad = context.input(2);
    LEAT_ASSIGN_OR_RETURN(Plan p,
                          MakePlan(attrs_, input.shape(), "orig_input"));
    LEAT_RETURN_IF_ERROR(
        CheckShape("orig_output", context.input(1).shape(), p.output));
    LEAT_RETURN_IF_ERROR(CheckShape("grad", grad.shape(), p.output));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    const T* gradients = grad.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForImages(context.compute_queue(), p, [&](int64_t image) {
      Backpropagate(p, from + image * p.in_size(),
                    gradients + image * p.out_size(), to + image * p.in_size());
    });
    return absl::OkStatus();
  }

 private:
  // As wide as T, so that one vector holds as many of both.
  using TapIndex = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

  static void Backpropagate(const Plan& p, const T* from, const T* gradients,
                            T* to) {
    std::fill_n(to, p.in_size(), T(0));
    std::vector<T> best(p.channels);
    std::vector<TapIndex> where(p.channels);
    for (int64_t row = 0; row < p.out_height; ++row) {
      for (int64_t column = 0; column < p.out_width; ++column) {
        const Taps taps(p, row, column);
        FindMaxima(p, taps, from, best.data(), where.data());
        AddAtMaxima(p, taps, where.data(),
                    gradients + (row * p.out_width + column) * p.channels, to);
      }
    }
  }

  // The first tap is taken whatever it holds, as TensorFlow does with NaN.
  static void FindMaxima(const Plan& p, const Taps& taps, const T* from,
                         T* best, TapIndex* where) {
    TapIndex tap = 0;
    ForTaps(p, taps, [&](int64_t pixel) {
      const T* x = from + pixel;
      if (tap == 0) {
        std::copy_n(x, p.channels, best);
        std::fill_n(where, p.channels, TapIndex{0});
      } else {
        LEAT_INDEPENDENT_ITERATIONS
        for (int64_t c = 0; c < p.channels; ++c) {
          const bool greater = x[c] > best[c];
          best[c] = greater ? x[c] : best[c];
          where[c] = greater ? tap : where[c];
        }
      }
      ++tap;
    });
  }

  static void AddAtMaxima(const Plan& p, const Taps& taps,
                          const TapIndex* where, const T* gradients, T* to) {
    TapIndex tap = 0;
    ForTaps(p, taps, [&](int64_t pixel) {
      T* sum = to + pixel;
      LEAT_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < p.channels; ++c) {
        sum[c] += where[c] == tap ? gradients[c] : T(0);
      }
      ++tap;
    });
  }

  const WindowAttrs attrs_;
};

// Averages leave padding out.
template <class T>
class AvgPool final : public Kernel {
 public:
  explicit AvgPool(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Plan p, MakePlan(attrs_, input.shape(), "value"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForOutputs(context.compute_queue(), p,
               [&](int64_t image, int64_t row, int64_t column, int64_t out) {
                 const T* source = from + image * p.in_size();
                 T* sum = to + out;
                 std::fill_n(sum, p.channels, T(0));
                 const Taps taps(p, row, column);
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
    const Tensor& sizes = context.input(0);
    const Tensor& grad = context.input(1);
    if (!sizes.shape().IsVector() || sizes.dim(0) != 4) {
      return absl::InvalidArgumentError(absl::StrCat(
          "out_backprop must be 1-dimensional and 4 elements, got ",
          sizes.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Shape input, GetShape(sizes, "orig_input_shape"));
    LEAT_ASSIGN_OR_RETURN(Plan p, MakePlan(attrs_, input, "orig_input_shape"));
    LEAT_RETURN_IF_ERROR(CheckShape("grad", grad.shape(), p.output));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, input));
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
    for (int64_t row = 0; row < p.out_height; ++row) {
      for (int64_t column = 0; column < p.out_width; ++column) {
        const Taps taps(p, row, column);
        const T* g = gradients + (row * p.out_width + column) * p.channels;
        const T share = T(1) / static_cast<T>(taps.count());
        ForTaps(p, taps, [&](int64_t pixel) {
          for (int64_t c = 0; c < p.channels; ++c) {
            to[pixel + c] += g[c] * share;
          }
        });
      }
    }
  }

  const WindowAttrs attrs_;
};

template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakePooling(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(WindowAttrs attrs, WindowAttrs::Create(node));
  return MakeForType(node, "T", kFloat32And64, [&](auto type) {
    return std::make_unique<K<typename decltype(type)::type>>(attrs);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MaxPool", kCpu, &MakePooling<MaxPool>);
  registry.Add("MaxPoolGrad", kCpu, &MakePooling<MaxPoolGrad>);
  registry.Add("AvgPool", kCpu, &MakePooling<AvgPool>);
  registry.Add("AvgPoolGrad", kCpu, &MakePooling<AvgPoolGrad>);
}

}  // namespace leat::kernels::cpu::pooling
