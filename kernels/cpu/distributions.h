// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Random distributions over Philox, bit for bit TensorFlow's on a CPU.
//
// Elements are made in groups; a group's numbers depend on its index only, so
// they do not depend on how the work is split.
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
#include "leat/core/parallel_for.h"
#include "leat/kernels/cpu/philox.h"

namespace leat::kernels::cpu {

// [0, 1) from the low bits as a mantissa.
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

// Two normal numbers from two uniform ones (Box and Muller).
inline std::array<float, 2> NormalPair(uint32_t x0, uint32_t x1) {
  const float u = std::max(UnitFloat(x0), 1.0e-7f);
  const float angle = static_cast<float>(2.0 * M_PI * UnitFloat(x1));
  const float radius = std::sqrt(-2.0f * std::log(u));
  std::array<float, 2> pair;
  ::sincosf(angle, &pair[0], &pair[1]);
  return {pair[0] * radius, pair[1] * radius};
}
inline std::array<double, 2> NormalPair(uint32_t x0, uint32_t x1, uint32_t x2,
                                        uint32_t x3) {
  const double u = std::max(UnitDouble(x0, x1), 1.0e-7);
  const double angle = 2 * M_PI * UnitDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u));
  std::array<double, 2> pair;
  ::sincos(angle, &pair[0], &pair[1]);
  return {pair[0] * radius, pair[1] * radius};
}

// A distribution gives `kGroup` elements from the generator of its group, and
// `kSamples` is how many 128-bit samples each group owns.
template <class T>
struct Uniform {
  using Element = T;
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

// Integers in [low, low + range).
template <class T>
struct UniformInt {
  using Element = T;
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  static constexpr int kSamples = 1;
  static constexpr int kNanoseconds = 12;
  T low = 0;
  Unsigned range = 1;  // not zero

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

template <class T>
struct Normal {
  using Element = T;
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

// Normal numbers, drawn again when they are two or more deviations off. A group
// owns 256 words per element, far more than it takes.
template <class T>
struct TruncatedNormal {
  using Element = T;
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr int kSamples = kGroup * 256 / 4;
  static constexpr int kNanoseconds = 80;

  void operator()(Philox& philox, T* out) const {
    PhiloxWords words(philox);
    for (int filled = 0; filled < kGroup;) {
      const auto pair = Draw(words);
      for (const auto value : pair) {
        if (std::abs(value) < 2 && filled < kGroup) out[filled++] = T(value);
      }
    }
  }

 private:
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

// Fills `data` with `size` elements, on all threads.
template <class Distribution>
void FillRandom(WorkQueue& queue, const Philox& base,
                const Distribution& distribution,
                typename Distribution::Element* data, int64_t size) {
  constexpr int kGroup = Distribution::kGroup;
  const int64_t groups = size / kGroup + (size % kGroup != 0);
  ParallelFor(
      queue, groups, Distribution::kNanoseconds,
      [&](int64_t begin, int64_t end) {
        Philox philox = base;
        philox.Skip(static_cast<uint64_t>(begin) * Distribution::kSamples);
        for (int64_t group = begin; group < end; ++group) {
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
