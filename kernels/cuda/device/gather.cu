// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/gather.h"

#include "leat/kernels/cuda/device/elements.h"
#include "leat/kernels/cuda/device/find_index.h"
#include "leat/kernels/cuda/device/index_map.h"
#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {
namespace {

// Copies element i. The map gives three numbers: at[0] is the position of the
// index, at[1] is the offset of the element in `from` if the index is 0, and
// at[2] is the column in the row.
template <class E>
struct Gather {
  IndexMap<3> map;
  CheckedIndices indices;
  const E* from;
  E* to;
  int64_t inner;

  LEAT_DEVICE void operator()(int64_t i) const {
    int64_t at[3];
    map.Find(i, at);
    const int64_t row = FindIndex(indices, at[0], /*reports=*/at[2] == 0);
    to[i] = row < 0 ? E() : from[at[1] + row * inner];
  }
};

// Merges neighbouring elements of a row into larger elements, if the row size
// and the addresses allow it. Returns the new size of an element, in bytes.
int Widen(int element_bytes, GatherOperands& o) {
  const auto bits =
      reinterpret_cast<uintptr_t>(o.from) | reinterpret_cast<uintptr_t>(o.to);
  while (element_bytes < 16 && o.inner % 2 == 0 &&
         bits % (2 * static_cast<uintptr_t>(element_bytes)) == 0) {
    element_bytes *= 2;
    o.inner /= 2;
  }
  return element_bytes;
}

}  // namespace

bool LaunchGather(CUstream_st* stream, int element_bytes,
                  const GatherOperands& operands) {
  GatherOperands o = operands;
  element_bytes = Widen(element_bytes, o);
  const int64_t slab = o.limit * o.inner;
  const IndexMap<3> map = MakeIndexMap<3>({{o.batch, {o.count, o.outer * slab}},
                                           {o.outer, {0, slab}},
                                           {o.count, {1, 0}},
                                           {o.inner, {0, 1, 1}}});
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEach(stream, o.batch * o.outer * o.count * o.inner,
            Gather<E>{map, o.indices, static_cast<const E*>(o.from),
                      static_cast<E*>(o.to), o.inner});
  });
}

}  // namespace leat::cuda
