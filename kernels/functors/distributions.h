// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These classes are random distributions. They make their numbers with the
// Philox generator, and give the same bits as TensorFlow does on a CPU. They
// are stateless, so they are thread-safe.
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
#ifndef LEAT_KERNELS_FUNCTORS_DISTRIBUTIONS_H_
#define LEAT_KERNELS_FUNCTORS_DISTRIBUTIONS_H_

#include <math.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"
#include "leat/kernels/functors/philox.h"

namespace leat::kernels::functors {

// These functions return a number in [0, 1), made from the low bits of the
// words. It has as many random bits as the mantissa of its type: 23 for float,
// 52 for double, 10 for half and 7 for bfloat16. A double takes 20 bits from
// `high` and 32 from `low`.
LEAT_DEVICE inline float UnitFloat(uint32_t word) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (word & 0x7fffff)) - 1.0f;
}
LEAT_DEVICE inline double UnitDouble(uint32_t high, uint32_t low) {
  const uint64_t mantissa = uint64_t{high & 0xfffff} << 32 | low;
  return std::bit_cast<double>(uint64_t{1023} << 52 | mantissa) - 1.0;
}
// T is half or bfloat16 or, on a GPU, leat::cuda::Half or leat::cuda::Bfloat16.
template <class T>
LEAT_DEVICE T UnitSixteenBits(uint32_t word) {
  const T one(1.0f);
  const bool is_half = one.bits == 15u << 10;
  T number;
  number.bits =
      static_cast<uint16_t>(one.bits | (word & (is_half ? 0x3ff : 0x7f)));
  return T(static_cast<float>(number) - 1.0f);
}

// Returns two numbers of the standard normal distribution. The method of Box
// and Muller computes them from two uniform numbers. A uniform number below
// 1e-7 is raised to 1e-7 before its logarithm is taken.
LEAT_DEVICE inline std::array<float, 2> NormalPair(uint32_t x0, uint32_t x1) {
  const float u = std::max(UnitFloat(x0), 1.0e-7f);
  const float angle = static_cast<float>(2.0 * M_PI * UnitFloat(x1));
  const float radius = std::sqrt(-2.0f * std::log(u));
  std::array<float, 2> pair;
  ::sincosf(angle, &pair[0], &pair[1]);
  return {pair[0] * radius, pair[1] * radius};
}
// Does the same for double. Each uniform number takes two words.
LEAT_DEVICE inline std::array<double, 2> NormalPair(uint32_t x0, uint32_t x1,
                                                    uint32_t x2, uint32_t x3) {
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

  LEAT_DEVICE void operator()(Philox& philox, T* out) const {
    const Philox::Sample s = philox.Next();
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        out[i] = UnitDouble(s[2 * i], s[2 * i + 1]);
      } else if constexpr (std::is_same_v<T, float>) {
        out[i] = UnitFloat(s[i]);
      } else {
        out[i] = UnitSixteenBits<T>(s[i]);
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

  LEAT_DEVICE void operator()(Philox& philox, T* out) const {
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

  LEAT_DEVICE void operator()(Philox& philox, T* out) const {
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

  LEAT_DEVICE void operator()(Philox& philox, T* out) const {
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
  LEAT_DEVICE static auto Draw(PhiloxWords& words) {
    const uint32_t x0 = words.Next(), x1 = words.Next();
    if constexpr (std::is_same_v<T, double>) {
      const uint32_t x2 = words.Next(), x3 = words.Next();
      return NormalPair(x0, x1, x2, x3);
    } else {
      return NormalPair(x0, x1);
    }
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_DISTRIBUTIONS_H_
