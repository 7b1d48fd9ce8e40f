// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/scatter.h"

#include "leat/kernels/cuda/device/elements.h"
#include "leat/kernels/cuda/device/find_index.h"
#include "leat/kernels/cuda/device/index_map.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

// Calls Visit::Do(target, update) for each element of each row. The map gives
// two numbers: at[0] is the row of `updates`, and at[1] is the column.
template <class E, class Visit>
struct Scatter {
  IndexMap<2> map;
  CheckedIndices indices;
  const E* updates;
  int64_t updates_step;
  E* to;
  int64_t inner;

  LEAT_DEVICE void operator()(int64_t i) const {
    int64_t at[2];
    map.Find(i, at);
    const int64_t row = FindIndex(indices, at[0], /*reports=*/at[1] == 0);
    if (row < 0) return;
    Visit::Do(to + row * inner + at[1], updates[i * updates_step]);
  }
};

struct CheckIndex {
  CheckedIndices indices;

  LEAT_DEVICE void operator()(int64_t i) const {
    FindIndex(indices, i, /*reports=*/true);
  }
};

struct Set {
  template <class E>
  LEAT_DEVICE static void Do(E* to, const E& update) {
    *to = update;
  }
};

struct Add {
  template <class T>
  LEAT_DEVICE static void Do(T* to, T update) {
    AtomicAdd(to, update);
  }
};

struct Subtract {
  template <class T>
  LEAT_DEVICE static void Do(T* to, T update) {
    using W = kernels::Ring<kernels::Wide<T>>;
    AtomicAdd(to, static_cast<T>(W(0) - static_cast<W>(update)));
  }
};

template <class E, class Visit>
void Launch(CUstream_st* stream, const ScatterOperands& o) {
  ForEach(
      stream, o.count * o.inner,
      Scatter<E, Visit>{MakeIndexMap<2>({{o.count, {1, 0}}, {o.inner, {0, 1}}}),
                        o.indices, static_cast<const E*>(o.updates),
                        o.updates_step, static_cast<E*>(o.to), o.inner});
}

}  // namespace

bool LaunchScatterUpdate(CUstream_st* stream, int element_bytes,
                         const ScatterOperands& operands) {
  return VisitElement(element_bytes, [&](auto tag) {
    Launch<typename decltype(tag)::type, Set>(stream, operands);
  });
}

bool LaunchScatter(CUstream_st* stream, Accumulation function, ElementType type,
                   const ScatterOperands& operands) {
  return VisitType(Types<Half, Bfloat16, float, double, int64_t>(), type,
                   [&](auto tag) {
                     using T = typename decltype(tag)::type;
                     if (function == Accumulation::kAdd) {
                       Launch<T, Add>(stream, operands);
                     } else {
                       Launch<T, Subtract>(stream, operands);
                     }
                   });
}

void LaunchCheckIndices(CUstream_st* stream, const CheckedIndices& indices,
                        int64_t count) {
  ForEach(stream, count, CheckIndex{indices});
}

}  // namespace leat::cuda
