// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/add_n.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/binary_math.h"

namespace leat::cuda {
namespace {

template <class T>
struct AddN {
  using W = kernels::Wide<T>;
  const T* addends[kMaxAddends];
  int count;
  T* sum;

  LEAT_DEVICE void operator()(int64_t i) const {
    W total = static_cast<W>(addends[0][i]);
    for (int k = 1; k < count; ++k) {
      total = kernels::functors::Add::Do(total, static_cast<W>(addends[k][i]));
    }
    sum[i] = static_cast<T>(total);
  }
};

}  // namespace

bool LaunchAddN(CUstream_st* stream, ElementType type,
                const void* const* addends, int count, void* sum, int64_t n) {
  using Numbers = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                        uint8_t, uint16_t, uint32_t, uint64_t>;
  return VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    AddN<T> functor = {};
    for (int k = 0; k < count; ++k) {
      functor.addends[k] = static_cast<const T*>(addends[k]);
    }
    functor.count = count;
    functor.sum = static_cast<T*>(sum);
    ForEach(stream, n, functor);
  });
}

}  // namespace leat::cuda
