// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of FusedBatchNorm and FusedBatchNormGrad (Ioffe and
// Szegedy, 2015) in all their versions, which normalize each channel of images
// or volumes. They compute in float.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/batch_norm_shapes.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cpu::batch_norm {
namespace {

// The number of elements of a channel.
int64_t PerChannel(const Channels& c) { return c.outer * c.inner; }

// Holds two sums for each channel.
struct PairSums {
  explicit PairSums(int64_t channels) : first(channels), second(channels) {}

  void Add(const PairSums& other) {
    for (size_t c = 0; c < first.size(); ++c) {
      first[c] += other.first[c];
      second[c] += other.second[c];
    }
  }

  std::vector<double> first;
  std::vector<double> second;
};

// Sums of at most this many elements are computed in float. They are then added
// in double.
constexpr int64_t kSummedInFloat = 16;

// Returns into how many parts a sum is split. The number depends on the size
// only and not on the number of threads, so that the rounding is always the
// same.
int Parts(const Channels& layout) {
  const int64_t elements = PerChannel(layout) * layout.count;
  return static_cast<int>(
      std::clamp<int64_t>(std::min(elements / 32768, layout.outer), 1, 16));
}

// Adds f(offset, channel) and g(offset, channel) to `sums`, for each element
// with an outer index in [begin, end). The channels are adjacent in memory, so
// the inner loop runs over the channels.
template <class F, class G>
void SumChannelsLast(const Channels& l, int64_t begin, int64_t end, F f, G g,
                     PairSums& sums) {
  std::vector<float> first(l.count), second(l.count);
  float* const a = first.data();
  float* const b = second.data();
  for (int64_t i = begin; i < end; i += kSummedInFloat) {
    std::fill_n(a, l.count, 0.0f);
    std::fill_n(b, l.count, 0.0f);
    for (int64_t row = i; row < std::min(i + kSummedInFloat, end); ++row) {
      const int64_t base = row * l.count;
      LEAT_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < l.count; ++c) {
        a[c] += f(base + c, c);
        b[c] += g(base + c, c);
      }
    }
    for (int64_t c = 0; c < l.count; ++c) {
      sums.first[c] += a[c];
      sums.second[c] += b[c];
    }
  }
}

// Does the same as SumChannelsLast, but the elements of a channel are adjacent
// in memory. The inner loop runs over kLanes partial sums of one channel.
template <class F, class G>
void SumChannelsFirst(const Channels& l, int64_t begin, int64_t end, F f, G g,
                      PairSums& sums) {
  constexpr int64_t kLanes = 16;
  for (int64_t row = begin * l.count; row < end * l.count; ++row) {
    const int64_t c = row % l.count;
    const int64_t base = row * l.inner;
    double first = 0, second = 0;
    for (int64_t k = 0; k < l.inner; k += kLanes * kSummedInFloat) {
      const int64_t size = std::min(kLanes * kSummedInFloat, l.inner - k);
      const int64_t whole = size / kLanes * kLanes;
      float a[kLanes] = {};
      float b[kLanes] = {};
      for (int64_t j = 0; j < whole; j += kLanes) {
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          a[lane] += f(base + k + j + lane, c);
          b[lane] += g(base + k + j + lane, c);
        }
      }
      for (int64_t j = whole; j < size; ++j) {
        a[j - whole] += f(base + k + j, c);
        b[j - whole] += g(base + k + j, c);
      }
      for (int64_t lane = 0; lane < std::min(size, kLanes); ++lane) {
        first += a[lane];
        second += b[lane];
      }
    }
    sums.first[c] += first;
    sums.second[c] += second;
  }
}

// Returns the sums of f and of g over the elements of each channel. The
// arguments of f and g are the offset and the channel of an element.
template <class F, class G>
PairSums SumPairs(WorkQueue& queue, const Channels& l, F f, G g) {
  const int parts = Parts(l);
  std::vector<PairSums> part_sums(parts, PairSums(l.count));
  ParallelChunks(queue, parts, [&](int part) {
    const int64_t begin = l.outer * part / parts;
    const int64_t end = l.outer * (part + 1) / parts;
    if (l.inner == 1) {
      SumChannelsLast(l, begin, end, f, g, part_sums[part]);
    } else {
      SumChannelsFirst(l, begin, end, f, g, part_sums[part]);
    }
  });
  for (int part = 1; part < parts; ++part) part_sums[0].Add(part_sums[part]);
  return std::move(part_sums[0]);
}

// Sets to[i] to f(i, channel of i) for each element i, in parallel.
template <class F>
void ForEachElement(WorkQueue& queue, const Channels& l, F f, float* to) {
  ParallelFor(
      queue, l.outer, l.count * l.inner / 2 + 1,
      [&](int64_t begin, int64_t end) {
        if (l.inner == 1) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t base = row * l.count;
            LEAT_INDEPENDENT_ITERATIONS
            for (int64_t c = 0; c < l.count; ++c) {
              to[base + c] = f(base + c, c);
            }
          }
          return;
        }
        for (int64_t row = begin * l.count; row < end * l.count; ++row) {
          const int64_t c = row % l.count;
          LEAT_INDEPENDENT_ITERATIONS
          for (int64_t i = row * l.inner; i < (row + 1) * l.inner; ++i) {
            to[i] = f(i, c);
          }
        }
      });
}

// Returns the mean of a few elements of channel `c`, or 0 if it is not finite.
float RoughMean(const Channels& l, const float* x, int64_t c) {
  constexpr int64_t kMost = 8;
  const int64_t elements = PerChannel(l);
  const int64_t count = std::min(elements, kMost);
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = i * elements / count;
    sum += x[(at / l.inner * l.count + c) * l.inner + at % l.inner];
  }
  return std::isfinite(sum) ? sum / static_cast<float>(count) : 0.0f;
}

// Computes the mean and the biased variance of each channel. Sums up the
// deviations from a rough mean instead of the elements themselves. Otherwise
// rounding would destroy the variance if the elements are large.
void Moments(WorkQueue& queue, const Channels& l, const float* x,
             std::vector<float>& mean, std::vector<float>& variance) {
  std::vector<float> rough(l.count);
  for (int64_t c = 0; c < l.count; ++c) rough[c] = RoughMean(l, x, c);
  const auto deviation = [x, rough = rough.data()](int64_t at, int64_t c) {
    return x[at] - rough[c];
  };
  const auto square = [deviation](int64_t at, int64_t c) {
    const float d = deviation(at, c);
    return d * d;
  };
  const PairSums sums = SumPairs(queue, l, deviation, square);
  const double count = static_cast<double>(PerChannel(l));
  for (int64_t c = 0; c < l.count; ++c) {
    const double offset = sums.first[c] / count;
    mean[c] = static_cast<float>(rough[c] + offset);
    variance[c] = static_cast<float>(
        std::max(0.0, sums.second[c] / count - offset * offset));
  }
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
    // Only version 3 has this output, which the gradient does not need.
    if (context.num_outputs() > 5) {
      LEAT_RETURN_IF_ERROR(context.AllocateOutput(5, Shape{0}).status());
    }
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
    ForEachElement(
        queue, l,
        [x, factor = factors.data(), shift = shifts.data()](
            int64_t at, int64_t c) { return x[at] * factor[c] + shift[c]; },
        y);
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
    const auto variance = context.input(4).data<float>();
    WorkQueue& queue = context.compute_queue();
    const float* const mean = context.input(3).data<float>().data();
    const PairSums sums = SumPairs(
        queue, l,
        [dy, x, mean](int64_t at, int64_t c) {
          return dy[at] * (x[at] - mean[c]);
        },
        [dy](int64_t at, int64_t) { return dy[at]; });
    std::vector<float> factor(l.count), slope(l.count, 0.0f),
        constant(l.count, 0.0f);
    const double count = static_cast<double>(PerChannel(l));
    for (int64_t c = 0; c < l.count; ++c) {
      const double inverse =
          1 / std::sqrt(double{variance[c]} + double{attrs_.epsilon});
      dscale[c] = static_cast<float>(sums.first[c] * inverse);
      doffset[c] = static_cast<float>(sums.second[c]);
      factor[c] = static_cast<float>(scale[c] * inverse);
      if (!attrs_.training) continue;
      slope[c] = static_cast<float>(-scale[c] * inverse * inverse * inverse *
                                    sums.first[c] / count);
      constant[c] =
          static_cast<float>(-scale[c] * inverse * sums.second[c] / count);
    }
    ForEachElement(
        queue, l,
        [dy, x, mean, factor = factor.data(), slope = slope.data(),
         constant = constant.data()](int64_t at, int64_t c) {
          return factor[c] * dy[at] + slope[c] * (x[at] - mean[c]) +
                 constant[c];
        },
        dx);
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
  for (const absl::string_view version : {"", "V2", "V3"}) {
    registry.Add(absl::StrCat("FusedBatchNorm", version), kCpu,
                 &MakeBatchNorm<BatchNorm>);
    registry.Add(absl::StrCat("FusedBatchNormGrad", version), kCpu,
                 &MakeBatchNorm<BatchNormGrad>);
  }
}

}  // namespace leat::kernels::cpu::batch_norm
