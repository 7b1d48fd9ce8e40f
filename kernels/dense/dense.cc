// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/dense/dense.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "dnnl.hpp"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/dense/onednn_calls.h"

namespace leat::kernels {
namespace {

// Is the minimum number of rows or columns of a chunk.
constexpr int64_t kMinRows = 8;

// Describes a part of a product: rows [row, row + rows) and columns [column,
// column + columns) of c.
struct Block {
  int64_t row = 0, rows = 0, column = 0, columns = 0;
};

// Computes one block of the product on this thread. REQUIRES: shape.k > 0.
absl::Status Multiply(const MatMulShape& shape, const Block& block,
                      const float* a, const float* b, float* c,
                      const Epilogue* epilogue) {
  if (block.rows == 0 || block.columns == 0) return absl::OkStatus();
  const int64_t lda = shape.transpose_a ? shape.m : shape.k;
  const int64_t ldb = shape.transpose_b ? shape.k : shape.n;
  const float* a_block = a + block.row * (shape.transpose_a ? 1 : lda);
  const float* b_block = b + block.column * (shape.transpose_b ? ldb : 1);
  float* c_block = c + block.row * shape.n + block.column;
  LEAT_RETURN_IF_ERROR(Protected([&] {
    const dnnl_status_t status =
        dnnl_sgemm(shape.transpose_a ? 'T' : 'N', shape.transpose_b ? 'T' : 'N',
                   block.rows, block.columns, shape.k, 1.0f, a_block, lda,
                   b_block, ldb, 0.0f, c_block, shape.n);
    if (status == dnnl_success) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(
        "oneDNN's matrix product (sgemm) failed with status ", int{status}));
  }));
  if (epilogue != nullptr) {
    epilogue->ApplyToRows(c_block, block.rows, shape.n, block.column,
                          block.columns);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MatMulOnOneThread(const MatMulShape& shape, const float* a,
                               const float* b, float* c,
                               const Epilogue* epilogue) {
  if (shape.k == 0) {
    std::fill_n(c, shape.m * shape.n, 0.0f);
    if (epilogue != nullptr) {
      epilogue->ApplyToRows(c, shape.m, shape.n, 0, shape.n);
    }
    return absl::OkStatus();
  }
  return Multiply(shape, Block{0, shape.m, 0, shape.n}, a, b, c, epilogue);
}

absl::Status MatMul(WorkQueue& queue, const MatMulShape& shape, const float* a,
                    const float* b, float* c, const Epilogue* epilogue) {
  const double flops = 2.0 * static_cast<double>(shape.m) *
                       static_cast<double>(shape.n) *
                       static_cast<double>(shape.k);
  const bool by_rows = shape.m >= shape.n;
  const int64_t extent = by_rows ? shape.m : shape.n;
  const double wanted = std::min({flops / kMinChunkFlops,
                                  static_cast<double>(queue.num_threads()),
                                  static_cast<double>(extent / kMinRows)});
  const int chunks = static_cast<int>(wanted);
  if (chunks <= 1 || shape.k == 0) {
    return MatMulOnOneThread(shape, a, b, c, epilogue);
  }
  // Each chunk gets a multiple of 16 rows or columns, so that no vector is
  // split.
  const int64_t size = ((extent - 1) / chunks / 16 + 1) * 16;
  FirstError error;
  ParallelChunks(queue, chunks, [&](int chunk) {
    const int64_t begin = std::min(extent, chunk * size);
    const int64_t count = std::min(extent - begin, size);
    const Block block = by_rows ? Block{begin, count, 0, shape.n}
                                : Block{0, shape.m, begin, count};
    error.Report(Multiply(shape, block, a, b, c, epilogue));
  });
  return error.Take();
}

}  // namespace leat::kernels
