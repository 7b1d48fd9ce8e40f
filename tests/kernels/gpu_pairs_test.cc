// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares element-wise functions of two operands on the GPU with loops, for
// all ways in which the elements of the operands may repeat.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "leat/core/float16.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/tests/testing/gpu/queued_gpu.h"

namespace leat::gpu_pairs_test {
namespace {

class GpuPairsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  }

  // Computes a - b on the GPU and compares it with a loop. The arrays begin
  // `shift` elements behind an aligned address.
  template <class T>
  void Check(const Shape& a_shape, const Shape& b_shape, int64_t shift) {
    const auto plan = kernels::PlanBroadcast(a_shape, b_shape);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const int64_t n = plan->shape.num_elements();
    std::vector<T> a(shift + a_shape.num_elements());
    std::vector<T> b(shift + b_shape.num_elements());
    for (size_t i = 0; i < a.size(); ++i) a[i] = T(static_cast<float>(i % 90));
    for (size_t i = 0; i < b.size(); ++i) b[i] = T(static_cast<float>(i % 31));
    std::vector<T> output(shift + n + 1, T(-1.0f));
    const auto map = kernels::MapOf(*plan);
    ASSERT_TRUE(map.ok());
    cuda::BinaryOperands operands = {a.data() + shift, b.data() + shift,
                                     output.data() + shift, n};
    if (plan->extents.size() == 1) {
      operands.a_step = plan->strides[0][0];
      operands.b_step = plan->strides[1][0];
    } else {
      operands.map = &*map;
    }
    ASSERT_TRUE(cuda::LaunchArithmetic(gpu_.handle(), cuda::Arithmetic::kSub,
                                       cuda::kElementTypeOf<T>, operands));
    ASSERT_TRUE(gpu_.RunAll().ok());
    for (int64_t i = 0; i < n; ++i) {
      int64_t at[2];
      map->Find(i, at);
      EXPECT_EQ(static_cast<float>(output[shift + i]),
                static_cast<float>(a[shift + at[0]]) -
                    static_cast<float>(b[shift + at[1]]))
          << a_shape.DebugString() << " " << b_shape.DebugString() << ", shift "
          << shift << ", element " << i;
    }
    EXPECT_EQ(static_cast<float>(output[shift + n]), -1.0f);
  }

  testing::QueuedGpu gpu_{/*num_threads=*/2};
};

TEST_F(GpuPairsTest, OperandsRepeatInManyWays) {
  struct Case {
    Shape a, b;
  };
  for (const Case& c : {Case{{37}, {37}},
                        {{37}, {}},
                        {{}, {64}},
                        {{5, 16}, {16}},       // a row of whole packs
                        {{16}, {5, 16}},       // the same, the other way round
                        {{5, 15}, {15}},       // a row that packs would cross
                        {{5, 16}, {5, 1}},     // a column
                        {{5, 1}, {1, 16}},     // a column and a row
                        {{3, 1, 16}, {4, 1}},  // three dimensions
                        {{3, 4, 8}, {3, 1, 8}}}) {
    for (const int64_t shift : {0, 1}) {
      Check<float>(c.a, c.b, shift);
      Check<bfloat16>(c.a, c.b, shift);
      Check<double>(c.a, c.b, shift);
    }
  }
}

}  // namespace
}  // namespace leat::gpu_pairs_test
