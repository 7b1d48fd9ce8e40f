// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the copies of GPUs that transpose matrices with naive loops.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/cuda/device/index_map.h"
#include "leat/kernels/cuda/device/moves.h"
#include "leat/kernels/cuda/device/transpose.h"
#include "leat/tests/testing/gpu/queued_gpu.h"

namespace leat::gpu_transpose_test {
namespace {

using Map = cuda::IndexMap<2>;

// Returns the map from a matrix of `rows` x `columns` to its transpose. The
// dimensions are those of the transpose.
Map ToDense(int64_t rows, int64_t columns) {
  return cuda::MakeIndexMap<2>({{columns, {1, rows}}, {rows, {columns, 1}}});
}
// Returns the same map with the dimensions of the matrix.
Map FromDense(int64_t rows, int64_t columns) {
  return cuda::MakeIndexMap<2>({{rows, {columns, 1}}, {columns, {1, rows}}});
}

int64_t SizeOf(const Map& map) {
  int64_t n = 1;
  for (int d = 0; d < map.rank; ++d) n *= map.extents[d];
  return n;
}

// Returns how many elements an array of the map has.
size_t EndOf(const Map& map, int array) {
  int64_t last = 0;
  for (int d = 0; d < map.rank; ++d) {
    last += (map.extents[d] - 1) * map.strides[array][d];
  }
  return static_cast<size_t>(last) + 1;
}

// The parameter is the size of an element.
class GpuTransposeTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  }

  // Copies elements as the map says, and compares all bytes of the result with
  // those of a naive loop. Both arrays begin at an odd element.
  void Check(const Map& map) {
    const auto size = static_cast<size_t>(GetParam());
    Bytes from((EndOf(map, 0) + 1) * size);
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = static_cast<unsigned char>(i * 37 + i / 256 + i / 65536);
    }
    Bytes to((EndOf(map, 1) + 1) * size, 0xA5);
    Bytes expected = to;
    for (int64_t i = 0; i < SizeOf(map); ++i) {
      size_t at[2] = {1, 1};
      int64_t rest = i;
      for (int d = map.rank - 1; d >= 0; --d) {
        for (int k = 0; k < 2; ++k) {
          at[k] += rest % map.extents[d] * map.strides[k][d];
        }
        rest /= map.extents[d];
      }
      std::memcpy(&expected[at[1] * size], &from[at[0] * size], size);
    }
    ASSERT_TRUE(cuda::LaunchCopy(gpu_.handle(), GetParam(), map, &from[size],
                                 &to[size], SizeOf(map)));
    ASSERT_TRUE(gpu_.RunAll().ok());
    EXPECT_TRUE(to == expected);
  }

  // Returns true if tiles copy the elements of the map.
  bool HasTiles(const Map& map) {
    Bytes from(EndOf(map, 0) * 16), to(EndOf(map, 1) * 16);
    const bool result = cuda::LaunchTranspose(gpu_.handle(), GetParam(), map,
                                              from.data(), to.data());
    EXPECT_TRUE(gpu_.RunAll().ok());
    return result;
  }

 private:
  using Bytes = std::vector<unsigned char>;
  testing::QueuedGpu gpu_{/*num_threads=*/2};
};

INSTANTIATE_TEST_SUITE_P(Bytes, GpuTransposeTest,
                         ::testing::Values(1, 2, 4, 8, 16));

TEST_P(GpuTransposeTest, TransposesMatricesOfAllSizes) {
  for (const int64_t rows : {16, 31, 32, 33, 64, 100}) {
    for (const int64_t columns : {16, 17, 32, 65}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
      EXPECT_TRUE(HasTiles(ToDense(rows, columns)));
      Check(ToDense(rows, columns));
      EXPECT_TRUE(HasTiles(FromDense(rows, columns)));
      Check(FromDense(rows, columns));
    }
  }
}

TEST_P(GpuTransposeTest, TransposesViewsAndBatches) {
  // The rows of `from` have gaps.
  const Map from_view = cuda::MakeIndexMap<2>({{40, {1, 50}}, {50, {47, 1}}});
  // The rows of `to` have gaps.
  const Map to_view = cuda::MakeIndexMap<2>({{50, {40, 1}}, {40, {1, 55}}});
  // The dimension of the batch comes first, second or last.
  const Map first = cuda::MakeIndexMap<2>(
      {{3, {33 * 35, 33 * 35}}, {35, {1, 33}}, {33, {35, 1}}});
  const Map second = cuda::MakeIndexMap<2>(
      {{35, {1, 3 * 33}}, {3, {33 * 35, 33}}, {33, {35, 1}}});
  const Map last = cuda::MakeIndexMap<2>(
      {{33, {3 * 35, 1}}, {35, {1, 33}}, {3, {35, 33 * 35}}});
  // All matrices of the batch are copies of one.
  const Map stretched =
      cuda::MakeIndexMap<2>({{3, {0, 33 * 35}}, {35, {1, 33}}, {33, {35, 1}}});
  for (const Map& map : {from_view, to_view, first, second, last, stretched}) {
    EXPECT_TRUE(HasTiles(map));
    Check(map);
  }
}

TEST_P(GpuTransposeTest, OtherCopiesHaveNoTiles) {
  const Map few_rows = ToDense(15, 100);
  const Map few_columns = ToDense(100, 15);
  const Map same_order = cuda::MakeIndexMap<2>({{40, {70, 50}}, {50, {1, 1}}});
  const Map stretched = cuda::MakeIndexMap<2>({{40, {1, 50}}, {50, {0, 1}}});
  const Map overlapping = cuda::MakeIndexMap<2>({{40, {1, 50}}, {50, {1, 1}}});
  const Map every_other = cuda::MakeIndexMap<2>({{40, {2, 50}}, {50, {80, 1}}});
  for (const Map& map : {few_rows, few_columns, same_order, stretched,
                         overlapping, every_other}) {
    EXPECT_FALSE(HasTiles(map));
    Check(map);
  }
}

TEST(TransposeTest, UnknownSizesHaveNoTiles) {
  testing::QueuedGpu gpu;
  EXPECT_FALSE(cuda::LaunchTranspose(gpu.handle(), 3, ToDense(40, 50), nullptr,
                                     nullptr));
}

}  // namespace
}  // namespace leat::gpu_transpose_test
