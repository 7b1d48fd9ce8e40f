// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/batch_norm.h"

#include <cmath>

#include "leat/kernels/cuda/device/divider.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/vectors.h"

namespace leat::cuda {
namespace {

using StatisticsTypes = Types<Half, Bfloat16, float>;

constexpr int kSumThreads = 256;
constexpr int64_t kMaxParts = 512;
// A thread adds up this many elements in float, and then adds the sum to a
// total in double.
constexpr int64_t kElementsPerThread = 64;

// Two sums of a channel.
struct Pair {
  double a;
  double b;
};

struct PairShared {
  Pair pairs[kSumThreads];
};

// Adds up the pairs of all threads whose numbers are equal modulo `step`, a
// power of two. For t < step, shared.pairs[t] becomes the sum of the pairs of
// the threads t, t + step, t + 2 * step, and so on.
LEAT_DEVICE void AddPairs(Block<kSumThreads>& block, PairShared& shared,
                          int step) {
  for (int width = kSumThreads / 2; width >= step; width /= 2) {
    block.Phase([&](int t) {
      if (t >= width) return;
      shared.pairs[t].a += shared.pairs[t + width].a;
      shared.pairs[t].b += shared.pairs[t + width].b;
    });
  }
}

// Computes the deviation of an element from the first element of its channel,
// and the square of the deviation. If the elements themselves were summed up,
// the variance of large elements would be lost to rounding.
template <class T>
struct Deviations {
  const T* x;
  int64_t inner;

  LEAT_DEVICE void operator()(int64_t at, int64_t channel, float& a,
                              float& b) const {
    const float d =
        static_cast<float>(x[at]) - static_cast<float>(x[channel * inner]);
    a = d;
    b = d * d;
  }
};

// Computes dy * (x - mean) and dy of an element.
template <class T>
struct Gradients {
  const T* dy;
  const T* x;
  const float* mean;

  LEAT_DEVICE void operator()(int64_t at, int64_t channel, float& a,
                              float& b) const {
    b = static_cast<float>(dy[at]);
    a = b * (static_cast<float>(x[at]) - mean[channel]);
  }
};

// Sums up the two terms of each element. A block adds up one part of the
// elements of `columns` channels. If the channels are adjacent in memory,
// `columns` is more than one, so that adjacent threads read adjacent elements.
template <class Terms>
struct SumParts {
  static constexpr int kThreads = kSumThreads;
  using Shared = PairShared;
  BatchNormSizes sizes;
  int columns;    // a power of two
  int64_t tiles;  // tiles of `columns` channels
  Terms terms;
  double* sums;  // [parts, channels, 2]

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t index) const {
    const int64_t part = index / tiles;
    const int64_t first_channel = index % tiles * columns;
    const int64_t count = sizes.outer * sizes.inner;
    const int64_t begin = PartBegin(part, count);
    const int64_t end = PartBegin(part + 1, count);
    block.Phase([&](int t) {
      const int64_t channel = first_channel + t % columns;
      shared.pairs[t] = channel < sizes.channels
                            ? SumOf(channel, begin + t / columns, end)
                            : Pair{0, 0};
    });
    AddPairs(block, shared, columns);
    block.Phase([&](int t) {
      const int64_t channel = first_channel + t;
      if (t >= columns || channel >= sizes.channels) return;
      double* const to = sums + (part * sizes.channels + channel) * 2;
      to[0] = shared.pairs[t].a;
      to[1] = shared.pairs[t].b;
    });
  }

  // Returns where a part begins, without a product that may overflow.
  LEAT_DEVICE int64_t PartBegin(int64_t part, int64_t count) const {
    const int64_t rest = count % sizes.parts;
    return count / sizes.parts * part + (part < rest ? part : rest);
  }

  // Sums up the elements begin, begin + step, begin + 2 * step and so on of a
  // channel, up to `end`. `step` is the number of threads per channel.
  LEAT_DEVICE Pair SumOf(int64_t channel, int64_t begin, int64_t end) const {
    const int64_t step = kThreads / columns;
    Pair sum = {0, 0};
    while (begin < end) {
      float a = 0, b = 0;
      for (int64_t k = 0; k < kElementsPerThread && begin < end; ++k) {
        const int64_t outer = sizes.inner == 1 ? begin : begin / sizes.inner;
        const int64_t at = (outer * sizes.channels + channel) * sizes.inner +
                           (begin - outer * sizes.inner);
        float x, y;
        terms(at, channel, x, y);
        a += x;
        b += y;
        begin += step;
      }
      sum.a += a;
      sum.b += b;
    }
    return sum;
  }
};

template <class Terms>
void LaunchSums(CUstream_st* stream, const BatchNormSizes& sizes,
                const Terms& terms, double* sums) {
  int columns = 1;
  while (sizes.inner == 1 && columns < sizes.channels && columns < 32) {
    columns *= 2;
  }
  const int64_t tiles = (sizes.channels - 1) / columns + 1;
  ForEachBlock(stream, tiles * sizes.parts,
               SumParts<Terms>{sizes, columns, tiles, terms, sums});
}

// Adds up the parts of each channel's sums, and calls finish(channel, sum) with
// the total.
template <class Finish>
struct FinishSums {
  static constexpr int kThreads = kSumThreads;
  using Shared = PairShared;
  BatchNormSizes sizes;
  const double* sums;
  Finish finish;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t channel) const {
    block.Phase([&](int t) {
      Pair sum = {0, 0};
      for (int64_t part = t; part < sizes.parts; part += kThreads) {
        const double* const from = sums + (part * sizes.channels + channel) * 2;
        sum.a += from[0];
        sum.b += from[1];
      }
      shared.pairs[t] = sum;
    });
    AddPairs(block, shared, 1);
    block.Phase([&](int t) {
      if (t == 0) finish(channel, shared.pairs[0]);
    });
  }
};

// Computes the statistics of FusedBatchNormV3, and the coefficients of y = x *
// coefficients[c] + coefficients[channels + c].
struct FinishMoments {
  BatchNormOperands o;

  LEAT_DEVICE void Finish(int64_t c, double first, const Pair& sum) const {
    const double count = static_cast<double>(o.sizes.outer * o.sizes.inner);
    float mean = 0, variance = 0;
    if (o.training) {
      const double offset = sum.a / count;
      const double square = sum.b / count - offset * offset;
      mean = static_cast<float>(first + offset);
      // This comparison keeps a NaN.
      variance = static_cast<float>(square < 0 ? 0 : square);
    } else {
      mean = o.old_mean[c];
      variance = o.old_variance[c];
    }
    o.mean[c] = Estimate(mean, o.old_mean, c);
    const double bessel = o.training ? count / (count > 2 ? count - 1 : 1) : 1;
    o.variance[c] =
        Estimate(variance * static_cast<float>(bessel), o.old_variance, c);
    o.saved_mean[c] = mean;
    o.saved_variance[c] = variance;
    const float factor = o.scale[c] / std::sqrt(variance + o.epsilon);
    o.coefficients[c] = factor;
    o.coefficients[o.sizes.channels + c] = o.offset[c] - mean * factor;
  }

  LEAT_DEVICE float Estimate(float value, const float* old, int64_t c) const {
    if (!o.training || o.factor == 1.0f) return value;
    return (1 - o.factor) * old[c] + o.factor * value;
  }
};

// Computes the moments from the sums of Deviations.
template <class T>
struct FinishTraining : FinishMoments {
  LEAT_DEVICE void operator()(int64_t c, const Pair& sum) const {
    Finish(c, static_cast<float>(static_cast<const T*>(o.x)[c * o.sizes.inner]),
           sum);
  }
};

struct FinishInference : FinishMoments {
  LEAT_DEVICE void operator()(int64_t c) const { Finish(c, 0, {0, 0}); }
};

// Computes dscale and doffset from the sums of Gradients, and the coefficients
// of dx = coefficients[c] * dy + coefficients[channels + c] * (x - mean[c]) +
// coefficients[2 * channels + c].
struct FinishGradients {
  BatchNormGradOperands o;

  LEAT_DEVICE void operator()(int64_t c, const Pair& sum) const {
    const double count = static_cast<double>(o.sizes.outer * o.sizes.inner);
    const double inverse = 1 / std::sqrt(static_cast<double>(o.variance[c]) +
                                         static_cast<double>(o.epsilon));
    const double factor = o.scale[c] * inverse;
    o.dscale[c] = static_cast<float>(sum.a * inverse);
    o.doffset[c] = static_cast<float>(sum.b);
    float* const coefficients = o.coefficients + c;
    const int64_t next = o.sizes.channels;
    coefficients[0] = static_cast<float>(factor);
    coefficients[next] =
        o.training
            ? static_cast<float>(-factor * inverse * inverse * sum.a / count)
            : 0.0f;
    coefficients[2 * next] =
        o.training ? static_cast<float>(-factor * sum.b / count) : 0.0f;
  }
};

// Finds the channels of adjacent elements. Is a plain value.
struct ChannelWalk {
  int64_t inner;
  int64_t channels;
  IndexDivider by_inner;
  IndexDivider by_channels;

  // Calls body(k, channel) with the channel of element begin + k, for k <
  // count.
  template <class Body>
  LEAT_DEVICE void Walk(int64_t begin, int count, Body body) const {
    const int64_t row = by_inner.Divide(begin);
    int64_t rest = begin - row * inner;
    int64_t channel = row - by_channels.Divide(row) * channels;
    for (int k = 0; k < count; ++k) {
      body(k, channel);
      if (++rest < inner) continue;
      rest = 0;
      if (++channel == channels) channel = 0;
    }
  }
};

ChannelWalk MakeChannelWalk(const BatchNormSizes& s) {
  const int64_t n = s.outer * s.channels * s.inner;
  return {s.inner, s.channels, MakeIndexDivider(s.inner, n),
          MakeIndexDivider(s.channels, n)};
}

// Normalizes a pack of elements.
template <class T>
struct Normalize {
  static constexpr int kSize = kPack<T>;
  ChannelWalk walk;
  int64_t n;
  bool is_aligned;
  const T* x;
  T* y;
  const float* coefficients;

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t begin = i * kSize;
    const int count = static_cast<int>(n - begin < kSize ? n - begin : kSize);
    const bool whole = is_aligned && count == kSize;
    const auto from = Load<kSize>(x, 1, begin, count, whole);
    Pack<T, kSize> to;
    walk.Walk(begin, count, [&](int k, int64_t c) {
      to.elements[k] = static_cast<T>(static_cast<float>(from.elements[k]) *
                                          coefficients[c] +
                                      coefficients[walk.channels + c]);
    });
    Store<kSize>(to, y, begin, count, whole);
  }
};

// Computes dx of a pack of elements.
template <class T>
struct Backpropagate {
  static constexpr int kSize = kPack<T>;
  ChannelWalk walk;
  int64_t n;
  bool is_aligned;
  const T* dy;
  const T* x;
  const float* mean;
  T* dx;
  const float* coefficients;

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t begin = i * kSize;
    const int count = static_cast<int>(n - begin < kSize ? n - begin : kSize);
    const bool whole = is_aligned && count == kSize;
    const auto gradients = Load<kSize>(dy, 1, begin, count, whole);
    const auto from = Load<kSize>(x, 1, begin, count, whole);
    Pack<T, kSize> to;
    walk.Walk(begin, count, [&](int k, int64_t c) {
      const float* const of_channel = coefficients + c;
      const float deviation = static_cast<float>(from.elements[k]) - mean[c];
      to.elements[k] = static_cast<T>(
          of_channel[0] * static_cast<float>(gradients.elements[k]) +
          of_channel[walk.channels] * deviation +
          of_channel[2 * walk.channels]);
    });
    Store<kSize>(to, dx, begin, count, whole);
  }
};

template <class T>
int64_t NumPacks(int64_t n) {
  return (n - 1) / kPack<T> + 1;
}

}  // namespace

BatchNormSizes MakeBatchNormSizes(int64_t outer, int64_t channels,
                                  int64_t inner) {
  const int64_t count = outer * inner;
  int64_t parts = count / (kElementsPerThread * 8) + 1;
  if (parts > kMaxParts) parts = kMaxParts;
  return {outer, channels, inner, parts};
}

bool LaunchBatchNorm(CUstream_st* stream, ElementType type,
                     const BatchNormOperands& o) {
  return VisitType(StatisticsTypes(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const x = static_cast<const T*>(o.x);
    const BatchNormSizes& s = o.sizes;
    if (o.training) {
      LaunchSums(stream, s, Deviations<T>{x, s.inner}, o.sums);
      ForEachBlock(stream, s.channels,
                   FinishSums<FinishTraining<T>>{s, o.sums, {{o}}});
    } else {
      ForEach(stream, s.channels, FinishInference{{o}});
    }
    const ChannelWalk walk = MakeChannelWalk(s);
    const int64_t n = s.outer * s.channels * s.inner;
    T* const y = static_cast<T*>(o.y);
    const bool is_aligned = IsAligned<kPack<T>>(x) && IsAligned<kPack<T>>(y);
    ForEach(stream, NumPacks<T>(n),
            Normalize<T>{walk, n, is_aligned, x, y, o.coefficients});
  });
}

bool LaunchBatchNormGrad(CUstream_st* stream, ElementType type,
                         const BatchNormGradOperands& o) {
  return VisitType(StatisticsTypes(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const dy = static_cast<const T*>(o.dy);
    const T* const x = static_cast<const T*>(o.x);
    T* const dx = static_cast<T*>(o.dx);
    const BatchNormSizes& s = o.sizes;
    LaunchSums(stream, s, Gradients<T>{dy, x, o.mean}, o.sums);
    ForEachBlock(stream, s.channels,
                 FinishSums<FinishGradients>{s, o.sums, {o}});
    const int64_t n = s.outer * s.channels * s.inner;
    const bool is_aligned = IsAligned<kPack<T>>(dy) && IsAligned<kPack<T>>(x) &&
                            IsAligned<kPack<T>>(dx);
    ForEach(stream, NumPacks<T>(n),
            Backpropagate<T>{MakeChannelWalk(s), n, is_aligned, dy, x, o.mean,
                             dx, o.coefficients});
  });
}

}  // namespace leat::cuda
