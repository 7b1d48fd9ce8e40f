// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/moves.h"

#include <cstring>

#include "leat/kernels/cuda/device/elements.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/transpose.h"

namespace leat::cuda {
namespace {

template <class E>
struct Copy {
  IndexMap<2> map;
  const E* from;
  E* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    int64_t at[2];
    map.Find(i, at);
    to[at[1]] = from[at[0]];
  }
};

template <class E>
struct Fill {
  const E* value;
  E* to;
  LEAT_DEVICE void operator()(int64_t i) const { to[i] = *value; }
};

template <class E>
struct FillValue {
  E value;
  E* to;
  LEAT_DEVICE void operator()(int64_t i) const { to[i] = value; }
};

template <class E>
struct Select {
  IndexMap<3> map;
  const bool* conditions;
  const E* then;
  const E* otherwise;
  E* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    int64_t at[3];
    map.Find(i, at);
    to[i] = conditions[at[0]] ? then[at[1]] : otherwise[at[2]];
  }
};

template <class E>
struct GatherRows {
  const uint64_t* rows;
  int64_t row_size;
  // Is true if all indices are below 2^31, so that `divider` can divide them.
  bool is_small;
  Divider divider;
  E* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t row =
        is_small ? divider.Divide(static_cast<uint32_t>(i)) : i / row_size;
    const auto* const from = reinterpret_cast<const E*>(rows[row]);
    to[i] = from == nullptr ? E() : from[i - row * row_size];
  }
};

template <class E>
struct OneHot {
  OneHotOperands o;

  LEAT_DEVICE int64_t Index(int64_t i) const {
    if (o.index_bytes == 8) return static_cast<const int64_t*>(o.indices)[i];
    if (o.index_bytes == 4) return static_cast<const int32_t*>(o.indices)[i];
    return static_cast<const uint8_t*>(o.indices)[i];
  }

  LEAT_DEVICE void operator()(int64_t i) const {
    const int64_t column = i % o.inner;
    const int64_t depth = i / o.inner % o.depth;
    const int64_t row = i / o.inner / o.depth;
    const bool is_on = Index(row * o.inner + column) == depth;
    static_cast<E*>(o.to)[i] = *static_cast<const E*>(is_on ? o.on : o.off);
  }
};

// Returns true if two neighbouring elements may be copied as one element of
// twice the size.
bool CanBePaired(const IndexMap<2>& map, int element_bytes, const void* from,
                 const void* to) {
  const int last = map.rank - 1;
  if (element_bytes == 16 || map.extents[last] % 2 != 0) return false;
  for (int k = 0; k < 2; ++k) {
    if (map.strides[k][last] != 1) return false;
    for (int d = 0; d < last; ++d) {
      if (map.strides[k][d] % 2 != 0) return false;
    }
  }
  const auto bits =
      reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to);
  return bits % (2 * static_cast<uintptr_t>(element_bytes)) == 0;
}

}  // namespace

bool LaunchCopy(CUstream_st* stream, int element_bytes,
                const IndexMap<2>& wanted, const void* from, void* to,
                int64_t n) {
  if (LaunchTranspose(stream, element_bytes, wanted, from, to)) return true;
  IndexMap<2> map = wanted;
  while (CanBePaired(map, element_bytes, from, to)) {
    const int last = map.rank - 1;
    element_bytes *= 2;
    n /= 2;
    map.extents[last] /= 2;
    if (map.is_small) {
      map.dividers[last] =
          MakeDivider(static_cast<uint32_t>(map.extents[last]));
    }
    for (int d = 0; d < last; ++d) {
      map.strides[0][d] /= 2;
      map.strides[1][d] /= 2;
    }
  }
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEach(stream, n,
            Copy<E>{map, static_cast<const E*>(from), static_cast<E*>(to)});
  });
}

bool LaunchFill(CUstream_st* stream, int element_bytes, const void* value,
                void* to, int64_t n) {
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEach(stream, n,
            Fill<E>{static_cast<const E*>(value), static_cast<E*>(to)});
  });
}

bool LaunchFillValue(CUstream_st* stream, int element_bytes,
                     const ElementBytes& value, void* to, int64_t n) {
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    FillValue<E> functor;
    std::memcpy(&functor.value, value.bytes, sizeof(E));
    functor.to = static_cast<E*>(to);
    ForEach(stream, n, functor);
  });
}

bool LaunchSelect(CUstream_st* stream, int element_bytes,
                  const IndexMap<3>& map, const bool* conditions,
                  const void* then, const void* otherwise, void* to,
                  int64_t n) {
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEach(stream, n,
            Select<E>{map, conditions, static_cast<const E*>(then),
                      static_cast<const E*>(otherwise), static_cast<E*>(to)});
  });
}

bool LaunchGatherRows(CUstream_st* stream, int element_bytes,
                      const uint64_t* rows, int64_t row_size, void* to,
                      int64_t n) {
  const bool is_small = n < (int64_t{1} << 31);
  const Divider divider =
      MakeDivider(is_small ? static_cast<uint32_t>(row_size) : 1);
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEach(
        stream, n,
        GatherRows<E>{rows, row_size, is_small, divider, static_cast<E*>(to)});
  });
}

bool LaunchOneHot(CUstream_st* stream, int element_bytes,
                  const OneHotOperands& operands) {
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEach(stream, operands.outer * operands.depth * operands.inner,
            OneHot<E>{operands});
  });
}

}  // namespace leat::cuda
