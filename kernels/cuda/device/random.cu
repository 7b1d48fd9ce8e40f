// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/random.h"

#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/distributions.h"

namespace leat::cuda {
namespace {

namespace functors = kernels::functors;

// Makes one group of numbers. The last group may be cut off.
template <class Numbers>
struct FillGroup {
  using T = typename Numbers::Element;
  static constexpr int kGroup = Numbers::kGroup;
  kernels::Philox base;
  Numbers numbers;
  T* to;
  int64_t n;

  LEAT_DEVICE void operator()(int64_t group) const {
    kernels::Philox own = base;
    own.Skip(static_cast<uint64_t>(group) * Numbers::kSamples);
    T values[kGroup];
    numbers(own, values);
    for (int k = 0; k < kGroup; ++k) {
      const int64_t i = group * kGroup + k;
      if (i < n) to[i] = values[k];
    }
  }
};

template <class Numbers>
void Launch(CUstream_st* stream, const kernels::Philox& base,
            const Numbers& numbers, void* to, int64_t n) {
  constexpr int kGroup = Numbers::kGroup;
  using T = typename Numbers::Element;
  ForEach(stream, n / kGroup + (n % kGroup != 0),
          FillGroup<Numbers>{base, numbers, static_cast<T*>(to), n});
}

template <class T>
void LaunchInt(CUstream_st* stream, const kernels::Philox& base, int64_t low,
               uint64_t range, void* to, int64_t n) {
  functors::UniformInt<T> numbers;
  numbers.low = static_cast<T>(low);
  numbers.range = static_cast<std::make_unsigned_t<T>>(range);
  Launch(stream, base, numbers, to, n);
}

}  // namespace

bool LaunchRandom(CUstream_st* stream, Distribution distribution,
                  ElementType type, const kernels::Philox& base, void* to,
                  int64_t n) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (distribution) {
      case Distribution::kUniform:
        return Launch(stream, base, functors::Uniform<T>(), to, n);
      case Distribution::kNormal:
        return Launch(stream, base, functors::Normal<T>(), to, n);
      case Distribution::kTruncatedNormal:
        return Launch(stream, base, functors::TruncatedNormal<T>(), to, n);
    }
  });
}

bool LaunchRandomInt(CUstream_st* stream, ElementType type,
                     const kernels::Philox& base, int64_t low, uint64_t range,
                     void* to, int64_t n) {
  if (type == ElementType::kInt32) {
    LaunchInt<int32_t>(stream, base, low, range, to, n);
  } else if (type == ElementType::kInt64) {
    LaunchInt<int64_t>(stream, base, low, range, to, n);
  } else {
    return false;
  }
  return true;
}

}  // namespace leat::cuda
