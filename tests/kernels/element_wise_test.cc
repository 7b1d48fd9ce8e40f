// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks what no op case can say of element-wise kernels: refusals for which
// TensorFlow has an INTERNAL error, and an attr that has the name of a field of
// the cases.
#include <gtest/gtest.h>

#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::element_wise_test {
namespace {

TEST(ElementWiseTest, TruncatingDivisionsRefuseZero) {
  testing::KernelTestHarness harness;
  for (const char* op : {"TruncateDiv", "TruncateMod"}) {
    const auto result = harness.RunOne(
        op, {{"T", DType::kInt32}},
        {Tensor::Vector<int32_t>({5, 7}), Tensor::Vector<int32_t>({2, 0})});
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << op;
    EXPECT_EQ(result.status().message(), "Integer division by zero") << op;
  }
}

TEST(ElementWiseTest, ApproximateEqualHasATolerance) {
  testing::KernelTestHarness harness;
  const auto result = harness.RunOne(
      "ApproximateEqual", {{"T", DType::kFloat}, {"tolerance", 0.25f}},
      {Tensor::Vector<float>({1, 1, 1}),
       Tensor::Vector<float>({1, 1.25, 1.3f})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(Identical(*result, Tensor::Vector<bool>({true, true, false})));
}

}  // namespace
}  // namespace leat::element_wise_test
