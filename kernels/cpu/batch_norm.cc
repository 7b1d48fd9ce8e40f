// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of FusedBatchNormV3 and FusedBatchNormGradV3 (Ioffe and
// Szegedy, 2015), which normalize each channel of images or volumes. They
// compute in float.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/batch_norm_shapes.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cpu::batch_norm {
namespace {

// The number of elements of a channel.
int64_t PerChannel(const Channels& c) { return c.outer * c.inner; }

// Holds two sums for each channel.
using PairSums = std::vector<std::array<double, 2>>;

// Returns into how many parts a sum is split. The number depends on the size
// only and not on the number of threads, so that the rounding is always the
// same.
int Parts(const Channels& layout) {
  const int64_t elements = PerChannel(layout) * layout.count;
  return static_cast<int>(
      std::clamp<int64_t>(std::min(elements / 32768, layout.outer), 1, 16));
}

// Calls `body(outer index, a, b)` for all outer indices and adds up the values
// that `body` writes to a[channel] and b[channel].
template <class Body>
PairSums SumPairs(WorkQueue& queue, const Channels& layout, Body body) {
  const int parts = Parts(layout);
  std::vector<PairSums> part_sums(parts);
  ParallelChunks(queue, parts, [&](int part) {
    PairSums sums(layout.count, {0.0, 0.0});
    std::vector<float> a(layout.count), b(layout.count);
    const int64_t begin = layout.outer * part / parts;
    const int64_t end = layout.outer * (part + 1) / parts;
    for (int64_t i = begin; i < end; ++i) {
      body(i, a.data(), b.data());
      for (int64_t c = 0; c < layout.count; ++c) {
        sums[c][0] += a[c];
        sums[c][1] += b[c];
      }
    }
    part_sums[part] = std::move(sums);
  });
  PairSums total = std::move(part_sums[0]);
  for (int part = 1; part < parts; ++part) {
    for (int64_t c = 0; c < layout.count; ++c) {
      total[c][0] += part_sums[part][c][0];
      total[c][1] += part_sums[part][c][1];
    }
  }
  return total;
}

// Calls `body(outer index)` for all outer indices, in parallel.
void ForOuter(WorkQueue& queue, const Channels& layout,
              absl::FunctionRef<void(int64_t)> body) {
  ParallelFor(queue, layout.outer, layout.count * layout.inner / 2 + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) body(i);
              });
}

// Computes two sums for each channel of one outer index: a[channel] is the sum
// of f over `inner`, and b[channel] is the sum of g. The arguments of f and g
// are the offset and the channel of an element.
template <class F, class G>
void InnerSums(const Channels& l, int64_t outer, F f, G g, float* a, float* b) {
  const int64_t base = outer * l.count * l.inner;
  if (l.inner == 1) {
    for (int64_t c = 0; c < l.count; ++c) {
      a[c] = f(base + c, c);
      b[c] = g(base + c, c);
    }
    return;
  }
  for (int64_t c = 0; c < l.count; ++c) {
    float sum_a = 0, sum_b = 0;
    for (int64_t k = 0; k < l.inner; ++k) {
      const int64_t at = base + c * l.inner + k;
      sum_a += f(at, c);
      sum_b += g(at, c);
    }
    a[c] = sum_a;
    b[c] = sum_b;
  }
}

// Computes the mean and the biased variance of each channel. Sums up the
// deviations from the channel's first element instead of the elements
// themselves. Otherwise rounding would destroy the variance if the elements are
// large.
void Moments(WorkQueue& queue, const Channels& l, const float* x,
             std::vector<float>& mean, std::vector<float>& variance) {
  auto deviation = [&](int64_t at, int64_t c) {
    return x[at] - x[c * l.inner];
  };
  const PairSums sums =
      SumPairs(queue, l, [&](int64_t outer, float* a, float* b) {
        InnerSums(
            l, outer, deviation,
            [&](int64_t at, int64_t c) {
              const float d = deviation(at, c);
              return d * d;
            },
            a, b);
      });
  const double count = static_cast<double>(PerChannel(l));
  for (int64_t c = 0; c < l.count; ++c) {
    const double offset = sums[c][0] / count;
    mean[c] = static_cast<float>(x[c * l.inner] + offset);
    variance[c] =
        static_cast<float>(std::max(0.0, sums[c][1] / count - offset * offset));
  }
}

// Computes y = x * scale[c] + shift[c], where c is the channel.
void Affine(WorkQueue& queue, const Channels& l, const float* x,
            const std::vector<float>& scale, const std::vector<float>& shift,
            float* y) {
  ForOuter(queue, l, [&](int64_t outer) {
    const int64_t base = outer * l.count * l.inner;
    if (l.inner == 1) {
      for (int64_t c = 0; c < l.count; ++c) {
        y[base + c] = x[base + c] * scale[c] + shift[c];
      }
      return;
    }
    for (int64_t c = 0; c < l.count; ++c) {
      for (int64_t k = 0; k < l.inner; ++k) {
        const int64_t at = base + c * l.inner + k;
        y[at] = x[at] * scale[c] + shift[c];
      }
    }
  });
}

class BatchNorm final : public Kernel {
 public:
  explicit BatchNorm(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Channels l, BatchNormChannels(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * y, context.AllocateOutput(0, x.shape()));
    std::array<float*, 4> statistics;
    for (int i = 0; i < 4; ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor * output,
                            context.AllocateOutput(1 + i, Shape{l.count}));
      statistics[i] = output->mutable_data<float>().data();
    }
    LEAT_RETURN_IF_ERROR(context.AllocateOutput(5, Shape{0}).status());
    if (x.num_elements() == 0) {
      constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
      for (int i = 0; i < 4; ++i) {
        std::fill_n(statistics[i], l.count, i < 2 ? kNan : 0.0f);
      }
      return absl::OkStatus();
    }
    Normalize(context, l, statistics, y->mutable_data<float>().data());
    return absl::OkStatus();
  }

 private:
  // Normalizes x into `y`. `statistics` points to the outputs 1 to 4:
  // batch_mean, batch_variance, and the mean and the variance that the gradient
  // needs.
  void Normalize(KernelContext& context, const Channels& l,
                 const std::array<float*, 4>& statistics, float* y) const {
    const float* x = context.input(0).data<float>().data();
    const auto scale = context.input(1).data<float>();
    const auto offset = context.input(2).data<float>();
    const auto old_mean = context.input(3).data<float>();
    const auto old_variance = context.input(4).data<float>();
    std::vector<float> mean(old_mean.begin(), old_mean.end());
    std::vector<float> variance(old_variance.begin(), old_variance.end());
    mean.resize(l.count);
    variance.resize(l.count);
    WorkQueue& queue = context.compute_queue();
    if (attrs_.training) Moments(queue, l, x, mean, variance);
    std::vector<float> factors(l.count), shifts(l.count);
    const double count = static_cast<double>(PerChannel(l));
    const float bessel = static_cast<float>(count / std::max(1.0, count - 1));
    for (int64_t c = 0; c < l.count; ++c) {
      statistics[0][c] = statistics[2][c] = mean[c];
      statistics[1][c] = statistics[3][c] = variance[c];
      if (attrs_.training) {
        statistics[1][c] *= bessel;
        if (attrs_.UsesEstimates()) {
          for (int i = 0; i < 2; ++i) {
            const float old = i == 0 ? old_mean[c] : old_variance[c];
            statistics[i][c] =
                (1 - attrs_.factor) * old + attrs_.factor * statistics[i][c];
          }
        }
      }
      factors[c] = scale[c] / std::sqrt(variance[c] + attrs_.epsilon);
      shifts[c] = offset[c] - mean[c] * factors[c];
    }
    Affine(queue, l, x, factors, shifts, y);
  }

  const BatchNormAttrs attrs_;
};

class BatchNormGrad final : public Kernel {
 public:
  explicit BatchNormGrad(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const Channels l,
                          BatchNormGradChannels(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * dx, context.AllocateOutput(0, x.shape()));
    std::array<float*, 2> sums;
    for (int i = 0; i < 2; ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor * output,
                            context.AllocateOutput(1 + i, Shape{l.count}));
      sums[i] = output->mutable_data<float>().data();
      std::fill_n(sums[i], l.count, 0.0f);
    }
    for (int i = 3; i < 5; ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor * unused,
                            context.AllocateOutput(i, Shape{}));
      unused->mutable_data<float>()[0] = 0;
    }
    if (x.num_elements() == 0) return absl::OkStatus();
    Backpropagate(context, l, sums[0], sums[1],
                  dx->mutable_data<float>().data());
    return absl::OkStatus();
  }

 private:
  // Computes the gradients of scale and offset, and dx = factor[c] * dy +
  // slope[c] * (x - mean[c]) + constant[c], where c is the channel.
  void Backpropagate(KernelContext& context, const Channels& l, float* dscale,
                     float* doffset, float* dx) const {
    const float* dy = context.input(0).data<float>().data();
    const float* x = context.input(1).data<float>().data();
    const auto scale = context.input(2).data<float>();
    const auto mean = context.input(3).data<float>();
    const auto variance = context.input(4).data<float>();
    WorkQueue& queue = context.compute_queue();
    const PairSums sums =
        SumPairs(queue, l, [&](int64_t outer, float* a, float* b) {
          InnerSums(
              l, outer,
              [&](int64_t at, int64_t c) { return dy[at] * (x[at] - mean[c]); },
              [&](int64_t at, int64_t) { return dy[at]; }, a, b);
        });
    std::vector<float> factor(l.count), slope(l.count, 0.0f),
        constant(l.count, 0.0f);
    const double count = static_cast<double>(PerChannel(l));
    for (int64_t c = 0; c < l.count; ++c) {
      const double inverse =
          1 / std::sqrt(double{variance[c]} + double{attrs_.epsilon});
      dscale[c] = static_cast<float>(sums[c][0] * inverse);
      doffset[c] = static_cast<float>(sums[c][1]);
      factor[c] = static_cast<float>(scale[c] * inverse);
      if (!attrs_.training) continue;
      slope[c] = static_cast<float>(-scale[c] * inverse * inverse * inverse *
                                    sums[c][0] / count);
      constant[c] =
          static_cast<float>(-scale[c] * inverse * sums[c][1] / count);
    }
    auto gradient = [&](int64_t at, int64_t c) {
      return factor[c] * dy[at] + slope[c] * (x[at] - mean[c]) + constant[c];
    };
    ForOuter(queue, l, [&](int64_t outer) {
      const int64_t base = outer * l.count * l.inner;
      for (int64_t c = 0; c < l.count; ++c) {
        for (int64_t k = 0; k < l.inner; ++k) {
          const int64_t at = base + c * l.inner + k;
          dx[at] = gradient(at, c);
        }
      }
    });
  }

  const BatchNormAttrs attrs_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBatchNorm(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) return ThroughFloat(node, &MakeBatchNorm<K>);
  LEAT_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        BatchNormAttrs::Create(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(attrs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("FusedBatchNormV3", kCpu, &MakeBatchNorm<BatchNorm>);
  registry.Add("FusedBatchNormGradV3", kCpu, &MakeBatchNorm<BatchNormGrad>);
}

}  // namespace leat::kernels::cpu::batch_norm
