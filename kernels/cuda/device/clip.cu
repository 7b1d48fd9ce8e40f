// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/functors/clip.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

// A bound of elements of type T. A plain value.
template <class T>
struct Bound {
  const T* data;
  bool step;

  bool is_aligned() const { return !step || IsAligned<kPack<T>>(data); }

  template <int size>
  LEAT_DEVICE Pack<T, size> Read(int64_t at) const {
    return step ? Load<size>(data + at) : Repeat<size>(*data);
  }
};

// Computes a pack of elements.
template <class T>
struct ClipElements {
  static constexpr int kSize = kPack<T>;
  const T* from;
  Bound<T> low;
  Bound<T> high;
  T* to;
  int64_t n;
  bool is_aligned;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    using W = kernels::Wide<T>;
    Pack<T, size> pack = Load<size>(from + at);
    const auto least = low.template Read<size>(at);
    const auto most = high.template Read<size>(at);
    for (int k = 0; k < size; ++k) {
      pack.elements[k] = static_cast<T>(kernels::functors::Clip(
          static_cast<W>(pack.elements[k]), static_cast<W>(least.elements[k]),
          static_cast<W>(most.elements[k])));
    }
    Store(pack, to + at);
  }
};

}  // namespace

bool LaunchClip(CUstream_st* stream, ElementType type, const ClipOperands& o) {
  using Numbers = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                        uint8_t, uint16_t>;
  return VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kSize = kPack<T>;
    const T* from = static_cast<const T*>(o.from);
    const Bound<T> low = {static_cast<const T*>(o.low), o.low_step};
    const Bound<T> high = {static_cast<const T*>(o.high), o.high_step};
    T* to = static_cast<T*>(o.to);
    const bool is_aligned = IsAligned<kSize>(from) && IsAligned<kSize>(to) &&
                            low.is_aligned() && high.is_aligned();
    ForEach(stream, NumPacks<kSize>(o.n),
            ClipElements<T>{from, low, high, to, o.n, is_aligned});
  });
}

}  // namespace leat::cuda
