// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/scatter.h"

#include <type_traits>

#include "leat/kernels/cuda/device/elements.h"
#include "leat/kernels/cuda/device/find_index.h"
#include "leat/kernels/cuda/device/index_map.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/binary_math.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/functors/scatter.h"

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

// Replaces the element by Op::Do(element, update).
template <class Op>
struct Combine {
  template <class T>
  LEAT_DEVICE static void Do(T* to, T update) {
    AtomicUpdate(to, [update](T old) { return Op::Do(old, update); });
  }
};

// Computes element i of the output.
template <class T>
struct ReduceSegments {
  const T* from;
  const int64_t* starts;
  T* to;
  int64_t inner;
  bool is_mean;

  LEAT_DEVICE void operator()(int64_t i) const {
    using W = kernels::Wide<T>;
    const int64_t segment = i / inner;
    const int64_t column = i % inner;
    const int64_t begin = starts[segment];
    const int64_t count = starts[segment + 1] - begin;
    W sum = W(0);
    for (int64_t row = begin; row < begin + count; ++row) {
      sum = kernels::functors::Add::Do(
          sum, static_cast<W>(from[row * inner + column]));
    }
    if (is_mean && count > 1) sum /= static_cast<W>(count);
    to[i] = static_cast<T>(sum);
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
  namespace ops = kernels::functors::scatter;
  using Numbers = Types<Half, Bfloat16, float, double, int64_t>;
  bool known = true;
  known &= VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (function) {
      case Accumulation::kAdd:
        return Launch<T, Add>(stream, operands);
      case Accumulation::kSubtract:
        return Launch<T, Subtract>(stream, operands);
      case Accumulation::kMultiply:
        return Launch<T, Combine<ops::Multiply>>(stream, operands);
      case Accumulation::kDivide:
        if constexpr (std::is_integral_v<T>) {
          known = false;
        } else {
          Launch<T, Combine<ops::Divide>>(stream, operands);
        }
        return;
      case Accumulation::kMaximum:
        return Launch<T, Combine<ops::Maximum>>(stream, operands);
      case Accumulation::kMinimum:
        return Launch<T, Combine<ops::Minimum>>(stream, operands);
    }
  });
  return known;
}

bool LaunchReduceSegments(CUstream_st* stream, ElementType type,
                          const SegmentOperands& o) {
  using Numbers = Types<Half, Bfloat16, float, double, int64_t>;
  return VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEach(stream, o.num_segments * o.inner,
            ReduceSegments<T>{static_cast<const T*>(o.from), o.starts,
                              static_cast<T*>(o.to), o.inner, o.is_mean});
  });
}

void LaunchCheckIndices(CUstream_st* stream, const CheckedIndices& indices,
                        int64_t count) {
  ForEach(stream, count, CheckIndex{indices});
}

}  // namespace leat::cuda
