// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/reduce.h"

#include <limits>
#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/functors/reduction.h"

namespace leat::cuda {
namespace {

// These operations apply Load to each element before they reduce it with Do.
template <class Op>
struct Plain : Op {
  template <class W>
  LEAT_DEVICE static W Load(W x) {
    return x;
  }
};
struct SumOfSquares : kernels::functors::Sum {
  template <class W>
  LEAT_DEVICE static W Load(W x) {
    return x * x;
  }
};

template <class W>
LEAT_DEVICE W Divide(const ReduceOperands& o, W value) {
  if (!o.divides) return value;
  if constexpr (std::is_integral_v<W>) {
    return o.divisor == 0 ? W(0) : static_cast<W>(value / o.divisor);
  } else {
    return value / static_cast<W>(o.divisor);
  }
}

// Returns where the elements of part `part` of one row end.
LEAT_DEVICE inline int64_t EndOfPart(const ReduceOperands& o, int64_t part) {
  const int64_t end = (part + 1) * o.part_size;
  return end < o.reduced ? end : o.reduced;
}

// Each thread computes one result. This form is fast for results of few
// elements.
template <class Op, class In, class Out>
struct ReduceSerially {
  using W = kernels::Wide<In>;
  ReduceOperands o;

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t column = i % o.inner;
    const int64_t part = i / o.inner % o.parts;
    const int64_t row = i / o.inner / o.parts;
    const In* from =
        static_cast<const In*>(o.from) + row * o.reduced * o.inner + column;
    W result = Op::template kIdentity<W>;
    const int64_t end = EndOfPart(o, part);
    for (int64_t r = part * o.part_size; r < end; ++r) {
      result = Op::Do(result, Op::Load(static_cast<W>(from[r * o.inner])));
    }
    static_cast<Out*>(o.to)[i] = static_cast<Out>(Divide(o, result));
  }
};

// A block computes `columns` adjacent results of one part. `columns` is a power
// of two. The threads of a column take turns to reduce its elements, and then
// combine their results.
template <class Op, class In, class Out>
struct ReduceByBlocks {
  using W = kernels::Wide<In>;
  static constexpr int kThreads = 256;
  struct Shared {
    W values[kThreads];
  };

  ReduceOperands o;
  int columns;
  int64_t column_tiles;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t index) const {
    const int64_t first_column = index % column_tiles * columns;
    const int64_t part = index / column_tiles % o.parts;
    const int64_t row = index / column_tiles / o.parts;
    const In* from = static_cast<const In*>(o.from) + row * o.reduced * o.inner;
    const int64_t end = EndOfPart(o, part);
    block.Phase([&](int t) {
      const int64_t column = first_column + t % columns;
      W result = Op::template kIdentity<W>;
      if (column < o.inner) {
        for (int64_t r = part * o.part_size + t / columns; r < end;
             r += kThreads / columns) {
          result = Op::Do(result,
                          Op::Load(static_cast<W>(from[r * o.inner + column])));
        }
      }
      shared.values[t] = result;
    });
    for (int width = kThreads / 2; width >= columns; width /= 2) {
      block.Phase([&](int t) {
        if (t >= width) return;
        shared.values[t] = Op::Do(shared.values[t], shared.values[t + width]);
      });
    }
    block.Phase([&](int t) {
      const int64_t column = first_column + t;
      if (t >= columns || column >= o.inner) return;
      static_cast<Out*>(o.to)[(row * o.parts + part) * o.inner + column] =
          static_cast<Out>(Divide(o, shared.values[t]));
    });
  }
};

template <class Op, class In, class Out>
void Launch(CUstream_st* stream, const ReduceOperands& o) {
  const int64_t results = o.outer * o.parts * o.inner;
  if (o.part_size <= 32 || (o.inner >= 32 && results >= (1 << 17))) {
    ForEach(stream, results, ReduceSerially<Op, In, Out>{o});
    return;
  }
  int columns = 1;
  while (columns < o.inner && columns < 32) columns *= 2;
  const int64_t tiles = (o.inner - 1) / columns + 1;
  ForEachBlock(stream, o.outer * o.parts * tiles,
               ReduceByBlocks<Op, In, Out>{o, columns, tiles});
}

// Launches a reduction of elements of type T. If T is a 16-bit float, the input
// or the output may be float.
template <class Op, class T>
bool LaunchFor(CUstream_st* stream, ElementType from_type, ElementType to_type,
               const ReduceOperands& o) {
  using W = kernels::Wide<T>;
  const bool from_wide = from_type == kElementTypeOf<W>;
  const bool to_wide = to_type == kElementTypeOf<W>;
  if ((!from_wide && from_type != kElementTypeOf<T>) ||
      (!to_wide && to_type != kElementTypeOf<T>)) {
    return false;
  }
  if (from_wide && to_wide) {
    Launch<Plain<Op>, W, W>(stream, o);
  } else if constexpr (!std::is_same_v<T, W>) {
    if (to_wide) {
      Launch<Plain<Op>, T, W>(stream, o);
    } else if (from_wide) {
      Launch<Plain<Op>, W, T>(stream, o);
    } else {
      Launch<Plain<Op>, T, T>(stream, o);
    }
  }
  return true;
}

template <class Op>
bool LaunchOp(CUstream_st* stream, ElementType from_type, ElementType to_type,
              const ReduceOperands& o) {
  // If one of the types is float and the other one is a 16-bit float, T is the
  // 16-bit float.
  const ElementType type =
      from_type == ElementType::kFloat ? to_type : from_type;
  bool known = false;
  VisitType(Types<Half, Bfloat16, float, double, int64_t>(), type,
            [&](auto tag) {
              using T = typename decltype(tag)::type;
              known = LaunchFor<Op, T>(stream, from_type, to_type, o);
            });
  return known;
}

}  // namespace

bool LaunchReduce(CUstream_st* stream, Reduction function,
                  ElementType from_type, ElementType to_type,
                  const ReduceOperands& o) {
  namespace functors = kernels::functors;
  switch (function) {
    case Reduction::kSum:
      return LaunchOp<functors::Sum>(stream, from_type, to_type, o);
    case Reduction::kProd:
      return LaunchOp<functors::Prod>(stream, from_type, to_type, o);
    case Reduction::kMax:
      return LaunchOp<functors::Max>(stream, from_type, to_type, o);
    case Reduction::kMin:
      return LaunchOp<functors::Min>(stream, from_type, to_type, o);
    case Reduction::kSumOfSquares: {
      bool known = false;
      VisitType(Floats(), from_type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        using W = kernels::Wide<T>;
        known = to_type == kElementTypeOf<W>;
        if (known) Launch<SumOfSquares, T, W>(stream, o);
      });
      return known;
    }
    case Reduction::kAll:
    case Reduction::kAny:
      if (from_type != ElementType::kBool || to_type != from_type) return false;
      if (function == Reduction::kAll) {
        Launch<Plain<functors::All>, bool, bool>(stream, o);
      } else {
        Launch<Plain<functors::Any>, bool, bool>(stream, o);
      }
      return true;
  }
  return false;
}

}  // namespace leat::cuda
