// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/matmul.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

// Each block computes one tile of a product. For each `kDepth` elements of the
// inner dimension, the block first copies a panel of each matrix to shared
// memory. Each thread computes kPart * kPart elements, which are kTile / kPart
// rows or columns apart.
constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kPart = 4;
constexpr int kSteps = kTile / kPart;

template <class T>
struct Product {
  using W = kernels::Wide<T>;
  static constexpr int kThreads = kSteps * kSteps;
  struct Shared {
    W a[kDepth][kTile];
    W b[kDepth][kTile];
  };
  struct Part {
    W sums[kPart][kPart];
  };

  MatMulOperands operands;
  int64_t row_tiles, column_tiles;

  // Copies a panel of op(a) or op(b) to shared memory. For op(a), the panel has
  // the rows [first, first + kTile) and the columns [inner, inner + kDepth).
  // For op(b), rows and columns are exchanged. `extent` is the number of rows
  // of op(a) or of columns of op(b). `is_inner_last` is true if elements along
  // the inner dimension are adjacent in memory. Adjacent threads read adjacent
  // elements.
  LEAT_DEVICE void LoadPanel(const T* from, bool is_inner_last, int64_t extent,
                             int64_t first, int64_t inner, int thread,
                             W (&panel)[kDepth][kTile]) const {
    for (int e = thread; e < kDepth * kTile; e += kThreads) {
      const int depth = is_inner_last ? e % kDepth : e / kTile;
      const int place = is_inner_last ? e / kDepth : e % kTile;
      const int64_t i = first + place;
      const int64_t j = inner + depth;
      const bool exists = i < extent && j < operands.k;
      panel[depth][place] =
          exists
              ? static_cast<W>(
                    from[is_inner_last ? i * operands.k + j : j * extent + i])
              : W(0);
    }
  }

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t index) const {
    const int64_t tiles = row_tiles * column_tiles;
    const int64_t product = index / tiles;
    const int64_t first_row = index % tiles / column_tiles * kTile;
    const int64_t first_column = index % column_tiles * kTile;
    const T* a =
        static_cast<const T*>(operands.a) + product * operands.a_stride;
    const T* b =
        static_cast<const T*>(operands.b) + product * operands.b_stride;
    T* c = static_cast<T*>(operands.c) + product * operands.c_stride;

    PerThread<Part, kThreads> parts;
    block.Phase([&](int t) {
      for (auto& row : parts[t].sums) {
        for (W& sum : row) sum = W(0);
      }
    });
    for (int64_t inner = 0; inner < operands.k; inner += kDepth) {
      block.Phase([&](int t) {
        LoadPanel(a, !operands.transpose_a, operands.m, first_row, inner, t,
                  shared.a);
        LoadPanel(b, operands.transpose_b, operands.n, first_column, inner, t,
                  shared.b);
      });
      block.Phase([&](int t) { AddProducts(shared, t, parts[t]); });
    }
    block.Phase([&](int t) {
      Part& part = parts[t];
      for (int i = 0; i < kPart; ++i) {
        for (int j = 0; j < kPart; ++j) {
          const int64_t row = first_row + t / kSteps + i * kSteps;
          const int64_t column = first_column + t % kSteps + j * kSteps;
          if (row < operands.m && column < operands.n) {
            c[row * operands.n + column] = static_cast<T>(part.sums[i][j]);
          }
        }
      }
    });
  }

  LEAT_DEVICE static void AddProducts(const Shared& shared, int thread,
                                      Part& part) {
    for (int depth = 0; depth < kDepth; ++depth) {
      W left[kPart], right[kPart];
      for (int i = 0; i < kPart; ++i) {
        left[i] = shared.a[depth][thread / kSteps + i * kSteps];
        right[i] = shared.b[depth][thread % kSteps + i * kSteps];
      }
      for (int i = 0; i < kPart; ++i) {
        for (int j = 0; j < kPart; ++j) {
          part.sums[i][j] += left[i] * right[j];
        }
      }
    }
  }
};

}  // namespace

bool LaunchMatMul(CUstream_st* stream, ElementType type,
                  const MatMulOperands& operands) {
  const int64_t rows = (operands.m + kTile - 1) / kTile;
  const int64_t columns = (operands.n + kTile - 1) / kTile;
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEachBlock(stream, operands.batch * rows * columns,
                 Product<T>{operands, rows, columns});
  });
}

}  // namespace leat::cuda
