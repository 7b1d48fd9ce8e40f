// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These classes are random distributions. They make their numbers with the
// Philox generator, and give the same bits as TensorFlow does on a CPU.
// Stateless, so thread-safe.
//
// Elements are made in groups. The numbers of a group depend on the generator
// and on the index of the group only, so they do not depend on how the work is
// split over threads.
//
// A distribution is a class with these members:
//
//   Element       the type of the numbers
//   kGroup        how many elements make one group
//   kSamples      how many 128-bit samples of the generator a group owns
//   kNanoseconds  about how long one group takes
//   operator()    writes the kGroup elements of one group to `out`; `philox` is
//                 at the first sample of the group
//
// This fills an array with numbers of the standard normal distribution:
//
//   Philox philox = Philox::FromSeeds(/*seed=*/1, /*seed2=*/2);
//   FillRandom(queue, philox, Normal<float>{}, values, count);
#ifndef LEAT_KERNELS_CPU_DISTRIBUTIONS_H_
#define LEAT_KERNELS_CPU_DISTRIBUTIONS_H_

#include <math.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "leat/core/float16.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/philox.h"

namespace leat::kernels::cpu {

// These functions return a number in [0, 1), made from the low bits of the
// words. It has as many random bits as the mantissa of its type: 23 for float,
// 52 for double, 10 for half and 7 for bfloat16. A double takes 20 bits from
// `high` and 32 from `low`.
inline float UnitFloat(uint32_t word) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (word & 0x7fffff)) - 1.0f;
}
inline double UnitDouble(uint32_t high, uint32_t low) {
  const uint64_t mantissa = uint64_t{high & 0xfffff} << 32 | low;
  return std::bit_cast<double>(uint64_t{1023} << 52 | mantissa) - 1.0;
}
inline half UnitHalf(uint32_t word) {
  const uint32_t bits = 15u << 10 | (word & 0x3ff);
  return half(float{half::FromBits(static_cast<uint16_t>(bits))} - 1.0f);
}
inline bfloat16 UnitBfloat16(uint32_t word) {
  const uint32_t bits = 127u << 7 | (word & 0x7f);
  return bfloat16(float{bfloat16::FromBits(static_cast<uint16_t>(bits))} -
                  1.0f);
}

// Returns two numbers of the standard normal distribution. The method of Box
// and Muller computes them from two uniform numbers. A uniform number below
// 1e-7 is raised to 1e-7 before its logarithm is taken.
inline std::array<float, 2> NormalPair(uint32_t x0, uint32_t x1) {
  const float u = std::max(UnitFloat(x0), 1.0e-7f);
  const float angle = static_cast<float>(2.0 * M_PI * UnitFloat(x1));
  const float radius = std::sqrt(-2.0f * std::log(u));
  std::array<float, 2> pair;
  ::sincosf(angle, &pair[0], &pair[1]);
  return {pair[0] * radius, pair[1] * radius};
}
// Does the same for double. Each uniform number takes two words.
inline std::array<double, 2> NormalPair(uint32_t x0, uint32_t x1, uint32_t x2,
                                        uint32_t x3) {
  const double u = std::max(UnitDouble(x0, x1), 1.0e-7);
  const double angle = 2 * M_PI * UnitDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u));
  std::array<double, 2> pair;
  ::sincos(angle, &pair[0], &pair[1]);
  return {pair[0] * radius, pair[1] * radius};
}

// The uniform distribution of numbers in [0, 1).
template <class T>
struct Uniform {
  using Element = T;
  // One sample has the words for two doubles or four smaller numbers.
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr int kSamples = 1;
  static constexpr int kNanoseconds = 8;

  void operator()(Philox& philox, T* out) const {
    const Philox::Sample s = philox.Next();
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        out[i] = UnitDouble(s[2 * i], s[2 * i + 1]);
      } else if constexpr (std::is_same_v<T, float>) {
        out[i] = UnitFloat(s[i]);
      } else if constexpr (std::is_same_v<T, half>) {
        out[i] = UnitHalf(s[i]);
      } else {
        out[i] = UnitBfloat16(s[i]);
      }
    }
  }
};

// The uniform distribution of integers in [low, low + range). As in TensorFlow,
// a number is `low` plus random bits modulo `range`. If `range` is not a power
// of two, numbers near `low` are therefore a little more likely.
template <class T>
struct UniformInt {
  using Element = T;
  using Unsigned = std::make_unsigned_t<T>;
  // One sample has the words for two 64-bit or four 32-bit numbers.
  static constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  static constexpr int kSamples = 1;
  static constexpr int kNanoseconds = 12;
  T low = 0;
  Unsigned range = 1;  // how many numbers there are; not zero

  void operator()(Philox& philox, T* out) const {
    const Philox::Sample s = philox.Next();
    for (int i = 0; i < kGroup; ++i) {
      Unsigned bits;
      if constexpr (sizeof(T) == 8) {
        bits = s[2 * i] | uint64_t{s[2 * i + 1]} << 32;
      } else {
        bits = s[i];
      }
      out[i] = static_cast<T>(static_cast<Unsigned>(low) + bits % range);
    }
  }
};

// The standard normal distribution.
template <class T>
struct Normal {
  using Element = T;
  // One sample gives one pair of doubles, or two pairs of smaller numbers.
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr int kSamples = 1;
  static constexpr int kNanoseconds = 60;

  void operator()(Philox& philox, T* out) const {
    const Philox::Sample s = philox.Next();
    if constexpr (std::is_same_v<T, double>) {
      const auto pair = NormalPair(s[0], s[1], s[2], s[3]);
      out[0] = pair[0];
      out[1] = pair[1];
    } else {
      for (int i = 0; i < 4; i += 2) {
        const auto pair = NormalPair(s[i], s[i + 1]);
        out[i] = T(pair[0]);
        out[i + 1] = T(pair[1]);
      }
    }
  }
};

// The truncated standard normal distribution. A number is drawn again if it is
// two or more standard deviations away from 0. A group owns 256 words per
// element, which is far more than it uses.
template <class T>
struct TruncatedNormal {
  using Element = T;
  // A sample of four words gives this many numbers if no number is drawn again.
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr int kSamples = kGroup * 256 / 4;
  static constexpr int kNanoseconds = 80;

  void operator()(Philox& philox, T* out) const {
    // Takes pairs until the group is full. The second number of the last pair
    // may be left over.
    PhiloxWords words(philox);
    for (int filled = 0; filled < kGroup;) {
      const auto pair = Draw(words);
      for (const auto value : pair) {
        if (std::abs(value) < 2 && filled < kGroup) out[filled++] = T(value);
      }
    }
  }

 private:
  // Draws two normal numbers from the next words.
  static auto Draw(PhiloxWords& words) {
    const uint32_t x0 = words.Next(), x1 = words.Next();
    if constexpr (std::is_same_v<T, double>) {
      const uint32_t x2 = words.Next(), x3 = words.Next();
      return NormalPair(x0, x1, x2, x3);
    } else {
      return NormalPair(x0, x1);
    }
  }
};

// Fills `data` with `size` elements of `distribution`, in parallel on `queue`.
// `base` is the generator at the first sample of the first group. Elements of
// the last group that do not fit into `data` are dropped.
template <class Distribution>
void FillRandom(WorkQueue& queue, const Philox& base,
                const Distribution& distribution,
                typename Distribution::Element* data, int64_t size) {
  constexpr int kGroup = Distribution::kGroup;
  const int64_t groups = size / kGroup + (size % kGroup != 0);
  ParallelFor(
      queue, groups, Distribution::kNanoseconds,
      [&](int64_t begin, int64_t end) {
        // Each chunk moves a copy of the generator to its own first group.
        Philox philox = base;
        philox.Skip(static_cast<uint64_t>(begin) * Distribution::kSamples);
        for (int64_t group = begin; group < end; ++group) {
          // A group may use fewer samples than it owns, so each group works on
          // its own copy of the generator.
          Philox own = philox;
          philox.Skip(Distribution::kSamples);
          const int64_t offset = group * kGroup;
          if (offset + kGroup <= size) {
            distribution(own, data + offset);
          } else {
            typename Distribution::Element last[kGroup];
            distribution(own, last);
            std::copy_n(last, size - offset, data + offset);
          }
        }
      });
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_DISTRIBUTIONS_H_
