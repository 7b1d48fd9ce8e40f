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
// Enough blocks to keep all multiprocessors of a GPU busy.
constexpr int64_t kSumBlocks = 1024;
// A thread adds up this many elements in float, and then adds the sum to a
// total in double.
constexpr int64_t kElementsPerThread = 64;

// Two sums of a channel.
struct Pair {
  double a;
  double b;
};

template <int kSize>
struct PairShared {
  Pair pairs[kSize][kSumThreads];
};

// Adds up the pairs of all threads whose numbers are equal modulo `step`, a
// power of two. For t < step, shared.pairs[k][t] becomes the sum of the pairs
// of the threads t, t + step, t + 2 * step, and so on.
template <int kSize>
LEAT_DEVICE void AddPairs(Block<kSumThreads>& block, PairShared<kSize>& shared,
                          int step) {
  for (int width = kSumThreads / 2; width >= step; width /= 2) {
    block.Phase([&](int t) {
      if (t >= width) return;
      for (int k = 0; k < kSize; ++k) {
        shared.pairs[k][t].a += shared.pairs[k][t + width].a;
        shared.pairs[k][t].b += shared.pairs[k][t + width].b;
      }
    });
  }
}

// Adds the deviation of elements from the first element of their channel to
// `a`, and the square of the deviation to `b`. If the elements themselves were
// summed up, the variance of large elements would be lost to rounding.
template <class T>
struct Deviations {
  using Element = T;
  const T* x;
  int64_t inner;

  bool is_aligned() const { return IsAligned<kPack<T>>(x); }

  LEAT_DEVICE float Center(int64_t channel) const {
    return static_cast<float>(x[channel * inner]);
  }

  // Adds the terms of kRows rows of kSize adjacent elements. The first row
  // begins at `at`, and the others follow at a distance of `stride` elements.
  template <int kRows, int kSize>
  LEAT_DEVICE void Add(int64_t at, int64_t stride,
                       const float (&centers)[kSize], float (&a)[kSize],
                       float (&b)[kSize]) const {
    Pack<T, kSize> from[kRows];
    for (int row = 0; row < kRows; ++row) {
      from[row] = Load<kSize>(x + at + row * stride);
    }
    for (int row = 0; row < kRows; ++row) {
      for (int k = 0; k < kSize; ++k) {
        const float d = static_cast<float>(from[row].elements[k]) - centers[k];
        a[k] += d;
        b[k] += d * d;
      }
    }
  }
};

// Adds dy * (x - mean) to `a`, and dy to `b`.
template <class T>
struct Gradients {
  using Element = T;
  const T* dy;
  const T* x;
  const float* mean;

  bool is_aligned() const {
    return IsAligned<kPack<T>>(dy) && IsAligned<kPack<T>>(x);
  }

  LEAT_DEVICE float Center(int64_t channel) const { return mean[channel]; }

  // Does the same as Deviations::Add.
  template <int kRows, int kSize>
  LEAT_DEVICE void Add(int64_t at, int64_t stride,
                       const float (&centers)[kSize], float (&a)[kSize],
                       float (&b)[kSize]) const {
    Pack<T, kSize> gradients[kRows], from[kRows];
    for (int row = 0; row < kRows; ++row) {
      gradients[row] = Load<kSize>(dy + at + row * stride);
      from[row] = Load<kSize>(x + at + row * stride);
    }
    for (int row = 0; row < kRows; ++row) {
      for (int k = 0; k < kSize; ++k) {
        const float gradient = static_cast<float>(gradients[row].elements[k]);
        a[k] +=
            gradient * (static_cast<float>(from[row].elements[k]) - centers[k]);
        b[k] += gradient;
      }
    }
  }
};

// Sums up the two terms of each element. A block adds up one part of the
// elements of `columns` * kSize channels. If the channels are adjacent in
// memory, adjacent threads read adjacent elements, and a thread reads kSize
// elements at once. Otherwise `columns` and kSize are 1.
template <class Terms, int kSize>
struct SumParts {
  static constexpr int kThreads = kSumThreads;
  using Shared = PairShared<kSize>;
  // A thread reads this many rows before it uses them.
  static constexpr int kRows = kSize == 1 ? 1 : 4;
  static_assert(kElementsPerThread % kRows == 0);
  BatchNormSizes sizes;
  int columns;    // a power of two
  int64_t tiles;  // tiles of `columns` * kSize channels
  IndexDivider by_inner;
  Terms terms;
  double* sums;  // [parts, channels, 2]

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t index) const {
    const int64_t part = index / tiles;
    const int64_t first_channel = index % tiles * columns * kSize;
    const int64_t count = sizes.outer * sizes.inner;
    const int64_t begin = PartBegin(part, count);
    const int64_t end = PartBegin(part + 1, count);
    block.Phase([&](int t) {
      for (int k = 0; k < kSize; ++k) shared.pairs[k][t] = {0, 0};
      const int64_t channel = first_channel + t % columns * kSize;
      if (channel >= sizes.channels) return;
      SumUp(shared, t, channel, begin + t / columns, end);
    });
    AddPairs(block, shared, columns);
    block.Phase([&](int t) {
      const int64_t channel = first_channel + t * kSize;
      if (t >= columns || channel >= sizes.channels) return;
      double* const to = sums + (part * sizes.channels + channel) * 2;
      for (int k = 0; k < kSize; ++k) {
        to[2 * k] = shared.pairs[k][t].a;
        to[2 * k + 1] = shared.pairs[k][t].b;
      }
    });
  }

  // Returns where a part begins, without a product that may overflow.
  LEAT_DEVICE int64_t PartBegin(int64_t part, int64_t count) const {
    const int64_t rest = count % sizes.parts;
    return count / sizes.parts * part + (part < rest ? part : rest);
  }

  // Adds the elements begin, begin + step, begin + 2 * step and so on of kSize
  // channels, up to `end`, to the pairs of thread `t`. `step` is the number of
  // threads per channel.
  LEAT_DEVICE void SumUp(Shared& shared, int t, int64_t channel, int64_t begin,
                         int64_t end) const {
    const int64_t step = kThreads / columns;
    float centers[kSize];
    for (int k = 0; k < kSize; ++k) centers[k] = terms.Center(channel + k);
    while (begin < end) {
      float a[kSize] = {}, b[kSize] = {};
      for (int64_t i = 0; i < kElementsPerThread && begin < end;) {
        const int64_t at = OffsetOf(begin, channel);
        if (end - begin > (kRows - 1) * step) {
          terms.template Add<kRows>(at, step * sizes.channels, centers, a, b);
          begin += kRows * step;
          i += kRows;
        } else {
          terms.template Add<1>(at, 0, centers, a, b);
          begin += step;
          ++i;
        }
      }
      for (int k = 0; k < kSize; ++k) {
        shared.pairs[k][t].a += a[k];
        shared.pairs[k][t].b += b[k];
      }
    }
  }

  // Returns where element `i` of a channel lies.
  LEAT_DEVICE int64_t OffsetOf(int64_t i, int64_t channel) const {
    if constexpr (kSize > 1) return i * sizes.channels + channel;
    const int64_t outer = by_inner.Divide(i);
    return (outer * sizes.channels + channel) * sizes.inner +
           (i - outer * sizes.inner);
  }
};

template <int kSize, class Terms>
void LaunchSums(CUstream_st* stream, const BatchNormSizes& s,
                const Terms& terms, double* sums) {
  int columns = 1;
  while (s.inner == 1 && columns * kSize < s.channels && columns < 32) {
    columns *= 2;
  }
  const int64_t tiles = (s.channels - 1) / (columns * kSize) + 1;
  ForEachBlock(stream, tiles * s.parts,
               SumParts<Terms, kSize>{
                   s, columns, tiles,
                   MakeIndexDivider(s.inner, s.outer * s.inner), terms, sums});
}

// Reads packs of elements if the channels allow it.
template <class Terms>
void LaunchSums(CUstream_st* stream, const BatchNormSizes& s,
                const Terms& terms, double* sums) {
  constexpr int kSize = kPack<typename Terms::Element>;
  if (s.inner == 1 && s.channels % kSize == 0 && terms.is_aligned()) {
    LaunchSums<kSize>(stream, s, terms, sums);
  } else {
    LaunchSums<1>(stream, s, terms, sums);
  }
}

// Adds up the parts of each channel's sums, and calls finish(channel, sum) with
// the total.
template <class Finish>
struct FinishSums {
  static constexpr int kThreads = kSumThreads;
  using Shared = PairShared<1>;
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
      shared.pairs[0][t] = sum;
    });
    AddPairs(block, shared, 1);
    block.Phase([&](int t) {
      if (t == 0) finish(channel, shared.pairs[0][0]);
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
    coefficients[2 * next] = o.mean[c];
    coefficients[3 * next] =
        o.training ? static_cast<float>(-factor * sum.b / count) : 0.0f;
  }
};

// Reads what belongs to the channels of adjacent elements. Is a plain value.
struct ChannelReader {
  int64_t inner;
  int64_t channels;
  IndexDivider by_inner;
  IndexDivider by_channels;

  // Returns the elements of `of_channels` that belong to the channels of the
  // `size` elements that begin at `begin`. `of_channels` has one element per
  // channel, and is aligned for packs of 4.
  template <int size>
  LEAT_DEVICE Pack<float, size> Read(const float* of_channels,
                                     int64_t begin) const {
    const int64_t row = by_inner.Divide(begin);
    int64_t channel = row - by_channels.Divide(row) * channels;
    if (inner == 1 && channels % size == 0) {
      return Load<size>(of_channels + channel);
    }
    if (inner % size == 0) {  // all elements are of one channel
      return Repeat<size>(of_channels[channel]);
    }
    Pack<float, size> pack;
    int64_t rest = begin - row * inner;
    for (int k = 0; k < size; ++k) {
      pack.elements[k] = of_channels[channel];
      if (++rest < inner) continue;
      rest = 0;
      if (++channel == channels) channel = 0;
    }
    return pack;
  }
};

ChannelReader MakeChannelReader(const BatchNormSizes& s) {
  const int64_t n = s.outer * s.channels * s.inner;
  return {s.inner, s.channels, MakeIndexDivider(s.inner, n),
          MakeIndexDivider(s.channels, n)};
}

// Normalizes a pack of elements.
template <class T>
struct Normalize {
  static constexpr int kSize = kPack<T>;
  ChannelReader reader;
  int64_t n;
  bool is_aligned;
  const T* x;
  T* y;
  const float* coefficients;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    const auto from = Load<size>(x + at);
    const auto factors = reader.Read<size>(coefficients, at);
    const auto offsets = reader.Read<size>(coefficients + reader.channels, at);
    Pack<T, size> to;
    for (int k = 0; k < size; ++k) {
      to.elements[k] = static_cast<T>(static_cast<float>(from.elements[k]) *
                                          factors.elements[k] +
                                      offsets.elements[k]);
    }
    Store(to, y + at);
  }
};

// Computes dx of a pack of elements.
template <class T>
struct Backpropagate {
  static constexpr int kSize = kPack<T>;
  ChannelReader reader;
  int64_t n;
  bool is_aligned;
  const T* dy;
  const T* x;
  T* dx;
  const float* coefficients;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    const auto gradients = Load<size>(dy + at);
    const auto from = Load<size>(x + at);
    Pack<float, size> rows[4];
    for (int row = 0; row < 4; ++row) {
      rows[row] = reader.Read<size>(coefficients + row * reader.channels, at);
    }
    Pack<T, size> to;
    for (int k = 0; k < size; ++k) {
      const float deviation =
          static_cast<float>(from.elements[k]) - rows[2].elements[k];
      to.elements[k] = static_cast<T>(
          rows[0].elements[k] * static_cast<float>(gradients.elements[k]) +
          rows[1].elements[k] * deviation + rows[3].elements[k]);
    }
    Store(to, dx + at);
  }
};

}  // namespace

BatchNormSizes MakeBatchNormSizes(int64_t outer, int64_t channels,
                                  int64_t inner) {
  // A block sums up one channel, or up to 256 adjacent ones.
  const int64_t tiles = inner == 1 ? (channels - 1) / 256 + 1 : channels;
  const int64_t most = kSumBlocks / tiles + 1;
  const int64_t parts = outer * inner / (inner == 1 ? 64 : 4096) + 1;
  return {outer, channels, inner, parts < most ? parts : most};
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
    const ChannelReader reader = MakeChannelReader(s);
    const int64_t n = s.outer * s.channels * s.inner;
    T* const y = static_cast<T*>(o.y);
    const bool is_aligned = IsAligned<kPack<T>>(x) && IsAligned<kPack<T>>(y);
    ForEach(stream, NumPacks<kPack<T>>(n),
            Normalize<T>{reader, n, is_aligned, x, y, o.coefficients});
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
    ForEach(stream, NumPacks<kPack<T>>(n),
            Backpropagate<T>{MakeChannelReader(s), n, is_aligned, dy, x, dx,
                             o.coefficients});
  });
}

}  // namespace leat::cuda
