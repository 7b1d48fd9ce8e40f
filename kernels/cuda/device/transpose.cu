// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/transpose.h"

#include "leat/kernels/cuda/device/divider.h"
#include "leat/kernels/cuda/device/elements.h"
#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {
namespace {

// Is the number of rows and of columns of a tile.
constexpr int kSide = 32;
// With fewer rows or columns, most of a tile would be empty.
constexpr int64_t kMinExtent = 16;

// Describes matrices that are transposed. The elements of a row are adjacent in
// `from`, and the elements of a column are adjacent in `to`. A plain value.
struct Matrices {
  int64_t count;
  int64_t rows;
  int64_t columns;
  // The distances between neighbouring matrices, rows and columns.
  int64_t from_matrix;
  int64_t from_row;
  int64_t to_matrix;
  int64_t to_column;
};

template <class E>
struct Transpose {
  static constexpr int kThreads = 256;
  static constexpr int kPerThread = kSide * kSide / kThreads;
  // The threads of a warp read a column of the tile at once. The unused element
  // at the end of each row moves the elements of a column to different banks.
  struct Shared {
    E tile[kSide][kSide + 1];
  };
  Matrices m;
  IndexDivider tiles_of_row;
  IndexDivider tiles_of_column;
  const E* from;
  E* to;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t i) const {
    const int64_t line = tiles_of_row.Divide(i);
    const int64_t matrix = tiles_of_column.Divide(line);
    const int64_t row = (line - matrix * tiles_of_column.divisor) * kSide;
    const int64_t column = (i - line * tiles_of_row.divisor) * kSide;
    const int64_t last_row = m.rows - row - 1;
    const int64_t last_column = m.columns - column - 1;
    const E* const source =
        from + matrix * m.from_matrix + row * m.from_row + column;
    E* const target = to + matrix * m.to_matrix + column * m.to_column + row;
    // A thread begins all its reads before it waits for the first. What a tile
    // has beyond the matrix is read from the last row or column, and unused.
    block.Phase([&](int t) {
      E values[kPerThread];
      const int64_t c = Least(t % kSide, last_column);
      for (int k = 0; k < kPerThread; ++k) {
        values[k] = source[Least(Line(t, k), last_row) * m.from_row + c];
      }
      for (int k = 0; k < kPerThread; ++k) {
        shared.tile[Line(t, k)][t % kSide] = values[k];
      }
    });
    block.Phase([&](int t) {
      const int r = t % kSide;
      E values[kPerThread];
      for (int k = 0; k < kPerThread; ++k) {
        values[k] = shared.tile[r][Line(t, k)];
      }
      for (int k = 0; k < kPerThread; ++k) {
        const int c = Line(t, k);
        if (r <= last_row && c <= last_column) {
          target[c * m.to_column + r] = values[k];
        }
      }
    });
  }

  // Returns the line of the tile in which the k-th element of thread t lies.
  // Its place in the line is t % kSide.
  LEAT_DEVICE static int Line(int t, int k) {
    return t / kSide + k * (kThreads / kSide);
  }
  LEAT_DEVICE static int64_t Least(int64_t a, int64_t b) {
    return a < b ? a : b;
  }
};

// Sets `matrices` and returns true if the map transposes matrices that are
// large enough for tiles.
bool FindMatrices(const IndexMap<2>& map, Matrices* matrices) {
  if (map.rank != 2 && map.rank != 3) return false;
  const auto& [from, to] = map.strides;
  // Finds the dimensions that step through a row and through a column.
  int row = -1, column = -1;
  for (int d = 0; d < map.rank; ++d) {
    if (map.extents[d] < kMinExtent) continue;
    if (from[d] == 1 && to[d] > 1) row = d;
    if (to[d] == 1 && from[d] > 1) column = d;
  }
  if (row < 0 || column < 0) return false;
  const int rest = 3 - row - column;  // the third dimension, if there is one
  const bool is_batch = map.rank == 3;
  if (is_batch && map.extents[rest] == 0) return false;
  *matrices = {.count = is_batch ? map.extents[rest] : 1,
               .rows = map.extents[column],
               .columns = map.extents[row],
               .from_matrix = is_batch ? from[rest] : 0,
               .from_row = from[column],
               .to_matrix = is_batch ? to[rest] : 0,
               .to_column = to[row]};
  return true;
}

}  // namespace

bool LaunchTranspose(CUstream_st* stream, int element_bytes,
                     const IndexMap<2>& map, const void* from, void* to) {
  Matrices m;
  if (!FindMatrices(map, &m)) return false;
  const int64_t across = (m.columns - 1) / kSide + 1;
  const int64_t down = (m.rows - 1) / kSide + 1;
  const int64_t n = m.count * down * across;
  return VisitElement(element_bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ForEachBlock(
        stream, n,
        Transpose<E>{m, MakeIndexDivider(across, n), MakeIndexDivider(down, n),
                     static_cast<const E*>(from), static_cast<E*>(to)});
  });
}

}  // namespace leat::cuda
