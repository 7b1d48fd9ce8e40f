// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/add_n.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/binary_math.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

template <class T>
struct AddN {
  static constexpr int kSize = kPack<T>;
  const T* addends[kMaxAddends];
  int count;
  T* sum;
  int64_t n;
  bool is_aligned;

  LEAT_DEVICE void operator()(int64_t i) const {
    ComputePack<kSize>(*this, i, n, is_aligned);
  }
  template <int size>
  LEAT_DEVICE void Compute(int64_t at) const {
    using W = kernels::Wide<T>;
    W total[size] = {};
    for (int addend = 0; addend < count; ++addend) {
      const auto pack = Load<size>(addends[addend] + at);
      for (int k = 0; k < size; ++k) {
        const W x = static_cast<W>(pack.elements[k]);
        total[k] = addend == 0 ? x : kernels::functors::Add::Do(total[k], x);
      }
    }
    Pack<T, size> result;
    for (int k = 0; k < size; ++k) {
      result.elements[k] = static_cast<T>(total[k]);
    }
    Store(result, sum + at);
  }
};

}  // namespace

bool LaunchAddN(CUstream_st* stream, ElementType type,
                const void* const* addends, int count, void* sum, int64_t n) {
  using Numbers = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                        uint8_t, uint16_t, uint32_t, uint64_t>;
  return VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kSize = kPack<T>;
    AddN<T> functor = {};
    functor.count = count;
    functor.sum = static_cast<T*>(sum);
    functor.n = n;
    functor.is_aligned = IsAligned<kSize>(functor.sum);
    for (int k = 0; k < count; ++k) {
      functor.addends[k] = static_cast<const T*>(addends[k]);
      functor.is_aligned &= IsAligned<kSize>(functor.addends[k]);
    }
    ForEach(stream, NumPacks<kSize>(n), functor);
  });
}

}  // namespace leat::cuda
