// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests kernels/cuda/device/launch.h as it is compiled for the host, and the
// headers that the launch functions share.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "leat/kernels/cuda/device/find_index.h"
#include "leat/kernels/cuda/device/index_map.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/tests/testing/gpu/queued_gpu.h"

namespace leat::gpu_launch_test {
namespace {

using testing::QueuedGpu;

// Provides a GPU whose work runs on two threads, so that the thread sanitizer
// can find two threads that use the same element at once.
class GpuLaunchTest : public ::testing::TestWithParam<int> {
 protected:
  CUstream_st* stream() { return gpu_.handle(); }

  QueuedGpu gpu_{GetParam()};
};

struct AddOne {
  int32_t* values;
  void operator()(int64_t i) const { values[i] += 1; }
};

TEST_P(GpuLaunchTest, ForEachVisitsEachIndexOnce) {
  for (const int64_t n : {0, 1, 2, 255, 1000}) {
    std::vector<int32_t> values(static_cast<size_t>(n) + 1, 0);
    cuda::ForEach(stream(), n, AddOne{values.data()});
    ASSERT_TRUE(gpu_.RunAll().ok());
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(values[i], 1) << n << " " << i;
    EXPECT_EQ(values[n], 0) << n;
  }
}

TEST_P(GpuLaunchTest, WorkWaitsInTheStreamAndRunsInOrder) {
  int32_t value = 0;
  cuda::ForEach(stream(), 1, AddOne{&value});
  cuda::ForEach(stream(), 1, AddOne{&value});
  EXPECT_EQ(value, 0);
  ASSERT_TRUE(gpu_.RunAll().ok());
  EXPECT_EQ(value, 2);
}

// Sums rows of `n` elements. The sums are wrong if a phase begins before the
// previous phase has ended, or if shared memory is reused too early.
struct SumRows {
  static constexpr int kThreads = 64;
  struct Shared {
    int64_t values[kThreads];
  };
  struct Plus {
    int64_t operator()(int64_t a, int64_t b) const { return a + b; }
  };
  const int64_t* rows;
  int64_t n;
  int64_t* sums;
  int64_t* doubled;

  void operator()(cuda::Block<kThreads>& block, Shared& shared,
                  int64_t row) const {
    cuda::PerThread<int64_t, kThreads> sum;
    block.Phase([&](int t) {
      sum[t] = 0;
      for (int64_t i = t; i < n; i += kThreads) sum[t] += rows[row * n + i];
    });
    const int64_t total = BlockReduce(block, sum, shared.values, Plus());
    block.Phase([&](int t) { sum[t] = t == 0 ? 2 * total : 0; });
    const int64_t twice = BlockReduce(block, sum, shared.values, Plus());
    block.Phase([&](int t) {
      if (t == 0) sums[row] = total;
      if (t == 1) doubled[row] = twice;
    });
  }
};

TEST_P(GpuLaunchTest, BlocksReduceInPhases) {
  for (const int64_t n : {0, 1, 63, 64, 65, 1000}) {
    constexpr int64_t kRows = 3;
    std::vector<int64_t> rows(static_cast<size_t>(kRows * n));
    std::iota(rows.begin(), rows.end(), 1);
    std::vector<int64_t> sums(kRows, -1), doubled(kRows, -1);
    cuda::ForEachBlock(stream(), kRows,
                       SumRows{rows.data(), n, sums.data(), doubled.data()});
    ASSERT_TRUE(gpu_.RunAll().ok());
    for (int64_t row = 0; row < kRows; ++row) {
      const int64_t sum = n * row * n + n * (n + 1) / 2;
      EXPECT_EQ(sums[row], sum) << n;
      EXPECT_EQ(doubled[row], 2 * sum) << n;
    }
  }
}

struct Count {
  float* total;
  void operator()(int64_t) const { cuda::AtomicAdd(total, 1.0f); }
};

TEST_P(GpuLaunchTest, AtomicAddLosesNothing) {
  float total = 0;
  cuda::ForEach(stream(), 5000, Count{&total});
  ASSERT_TRUE(gpu_.RunAll().ok());
  EXPECT_EQ(total, 5000.0f);
}

struct AddHalf {
  cuda::Half* total;
  void operator()(int64_t) const { cuda::AtomicAdd(total, cuda::Half(0.5f)); }
};

TEST_P(GpuLaunchTest, AtomicAddUpdatesSixteenBitNumbers) {
  cuda::Half total[2] = {cuda::Half(0.0f), cuda::Half(7.0f)};
  cuda::ForEach(stream(), 1000, AddHalf{total});
  ASSERT_TRUE(gpu_.RunAll().ok());
  EXPECT_EQ(float{total[0]}, 500.0f);
  EXPECT_EQ(float{total[1]}, 7.0f);
}

// Each index consists of two numbers. The first must be below 3, and the second
// below 5.
class GpuIndicesTest : public GpuLaunchTest {
 protected:
  // Returns the result of FindIndex for each index.
  std::vector<int64_t> Find(const std::vector<int64_t>& numbers) {
    cuda::CheckedIndices indices = {.data = numbers.data(),
                                    .is_int64 = true,
                                    .depth = depth_,
                                    .limits = {3, 5},
                                    .rule = rule_,
                                    .fault = &fault_};
    const auto n = static_cast<int64_t>(numbers.size()) / depth_;
    std::vector<int64_t> places(static_cast<size_t>(n));
    cuda::ForEach(stream(), n, Place{indices, places.data()});
    EXPECT_TRUE(gpu_.RunAll().ok());
    return places;
  }

  struct Place {
    cuda::CheckedIndices indices;
    int64_t* places;
    void operator()(int64_t i) const {
      places[i] = FindIndex(indices, i, /*reports=*/true);
    }
  };
  int depth_ = 2;
  kernels::IndexRule rule_ = kernels::IndexRule::kPoint;
  cuda::IndexFault fault_;
};

TEST_P(GpuIndicesTest, ChecksEachNumber) {
  EXPECT_EQ(Find({0, 0, 2, 4, 1, 3}), (std::vector<int64_t>{0, 14, 8}));
  EXPECT_EQ(fault_.is_set, 0u);
  for (const auto& [first, second] : std::vector<std::pair<int64_t, int64_t>>{
           {3, 0}, {0, 5}, {-1, 0}, {0, -1}, {int64_t{1} << 62, 4}}) {
    fault_ = {};
    EXPECT_EQ(Find({1, 1, first, second, 0, 1}),
              (std::vector<int64_t>{6, -1, 1}));
    EXPECT_EQ(fault_.is_set, 1u);
    EXPECT_EQ(fault_.position, 1);
    EXPECT_EQ(fault_.values[0], first);
    EXPECT_EQ(fault_.values[1], second);
    EXPECT_EQ(fault_.indices.limits[1], 5);
  }
}

TEST_P(GpuIndicesTest, KeepsOneOfManyFaults) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 1000; ++i) {
    numbers.push_back(100 + i);
    numbers.push_back(200 + i);
  }
  Find(numbers);
  EXPECT_EQ(fault_.values[0], 100 + fault_.position);
  EXPECT_EQ(fault_.values[1], 200 + fault_.position);
}

TEST_P(GpuIndicesTest, DropsNegativeSegments) {
  depth_ = 1;
  rule_ = kernels::IndexRule::kSegment;
  EXPECT_EQ(Find({2, -1, -7, 0}), (std::vector<int64_t>{2, -1, -1, 0}));
  EXPECT_EQ(fault_.is_set, 0u);
  Find({-1, 3});
  EXPECT_EQ(fault_.position, 1);
}

INSTANTIATE_TEST_SUITE_P(Threads, GpuLaunchTest, ::testing::Values(1, 2));
INSTANTIATE_TEST_SUITE_P(Threads, GpuIndicesTest, ::testing::Values(1, 2));

TEST(DividerTest, DividesHardNumbers) {
  constexpr uint32_t kEnd = uint32_t{1} << 31;
  std::vector<uint32_t> divisors;
  for (uint32_t d = 1; d < 300; ++d) divisors.push_back(d);
  for (int k = 8; k < 31; ++k) {
    const uint32_t power = uint32_t{1} << k;
    for (uint32_t d : {power - 1, power, power + 1, power / 3 * 2 + 1}) {
      divisors.push_back(d);
    }
  }
  divisors.push_back(kEnd - 1);
  for (const uint32_t d : divisors) {
    const cuda::Divider divider = cuda::MakeDivider(d);
    const uint32_t last = (kEnd - 1) / d * d;  // the last multiple of d
    for (const uint32_t n : {0u, 1u, d - 1, d, d + 1, 2 * (d / 2) + 1, last - 1,
                             last, kEnd / 2, kEnd - 2, kEnd - 1}) {
      if (n >= kEnd) continue;
      EXPECT_EQ(divider.Divide(n), n / d) << n << " / " << d;
    }
  }
}

// The test computes the expected places by counting up the coordinates.
TEST(IndexMapTest, FindsPlacesWithAndWithoutDividers) {
  kernels::BroadcastPlan<2> plan;
  plan.shape = Shape{3, 4, 5, 2};
  plan.extents = {3, 4, 5, 2};
  plan.strides[0] = {0, 7, -3, 1};
  plan.strides[1] = {100, 0, 1, 50};
  cuda::IndexMap<2> map = *kernels::MapOf(plan);
  for (const bool is_small : {true, false}) {
    EXPECT_TRUE(map.is_small);
    cuda::IndexMap<2> tried = map;
    tried.is_small = is_small;
    int64_t index = 0;
    for (int64_t a = 0; a < 3; ++a) {
      for (int64_t b = 0; b < 4; ++b) {
        for (int64_t c = 0; c < 5; ++c) {
          for (int64_t d = 0; d < 2; ++d) {
            int64_t at[2];
            tried.Find(index++, at);
            EXPECT_EQ(at[0], 7 * b - 3 * c + d);
            EXPECT_EQ(at[1], 100 * a + c + 50 * d);
          }
        }
      }
    }
  }
}

TEST(IndexMapTest, LargeArraysDivideInSixtyFourBits) {
  kernels::BroadcastPlan<1> plan;
  plan.shape = *Shape::Create({int64_t{1} << 20, int64_t{1} << 20});
  plan.extents = {int64_t{1} << 20, int64_t{1} << 20};
  plan.strides[0] = {1, int64_t{1} << 20};
  const cuda::IndexMap<1> map = *kernels::MapOf(plan);
  EXPECT_FALSE(map.is_small);
  int64_t at[1];
  map.Find((int64_t{5} << 20) + 3, at);
  EXPECT_EQ(at[0], 5 + (int64_t{3} << 20));
}

TEST(IndexMapTest, RefusesNineDimensions) {
  kernels::BroadcastPlan<1> plan;
  plan.shape = Shape{1};
  plan.extents = Dims(9, 2);
  plan.strides[0] = Dims(9, 1);
  EXPECT_TRUE(absl::IsUnimplemented(kernels::MapOf(plan).status()));
}

TEST(VectorsTest, LoadsRepeatsAndStoresPacks) {
  alignas(16) float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(16) float to[8] = {};
  EXPECT_TRUE(cuda::IsAligned<4>(from));
  EXPECT_FALSE(cuda::IsAligned<4>(from + 1));
  cuda::Store(cuda::Load<4>(from + 4), to);
  cuda::Store(cuda::Repeat<4>(from[2]), to + 4);
  const std::vector<float> expected = {5, 6, 7, 8, 3, 3, 3, 3};
  EXPECT_EQ(std::vector<float>(to, to + 8), expected);
}

// Counts how often each element is computed, alone and in a pack.
struct CountElements {
  int* alone;
  int* in_packs;
  int64_t n;
  bool is_aligned;
  void operator()(int64_t i) const {
    cuda::ComputePack<4>(*this, i, n, is_aligned);
  }
  template <int size>
  void Compute(int64_t at) const {
    for (int k = 0; k < size; ++k) ++(size == 1 ? alone : in_packs)[at + k];
  }
};

TEST_P(GpuLaunchTest, PacksCoverEachElementOnce) {
  for (const bool is_aligned : {false, true}) {
    for (int64_t n = 0; n < 14; ++n) {
      std::vector<int> alone(n + 1), in_packs(n + 1);
      cuda::ForEach(
          stream(), cuda::NumPacks<4>(n),
          CountElements{alone.data(), in_packs.data(), n, is_aligned});
      ASSERT_TRUE(gpu_.RunAll().ok());
      for (int64_t i = 0; i <= n; ++i) {
        const bool is_in_pack = is_aligned && i < n / 4 * 4;
        EXPECT_EQ(in_packs[i], is_in_pack ? 1 : 0) << n << " " << i;
        EXPECT_EQ(alone[i], i < n && !is_in_pack ? 1 : 0) << n << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace leat::gpu_launch_test
