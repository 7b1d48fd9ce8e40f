// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that the fused gradient of Relu and MaxPool equals the gradients of
// the two ops, one after another, bit for bit. The windows in this test do not
// overlap, because passes fuse gradients only for such windows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::pooling_test {
namespace {

struct Case {
  int64_t channels = 1;
  int64_t size = 2;
  int64_t stride = 2;
  const char* padding = "VALID";
  const char* format = "NHWC";
};

AttrMap Attrs(const Case& c) {
  const bool first = std::strcmp(c.format, "NCHW") == 0;
  const auto extents = [&](int64_t n) {
    return first ? std::vector<int64_t>{1, 1, n, n}
                 : std::vector<int64_t>{1, n, n, 1};
  };
  return {{"ksize", extents(c.size)},
          {"strides", extents(c.stride)},
          {"padding", std::string(c.padding)},
          {"data_format", std::string(c.format)}};
}

// Returns positive and negative values with zeros and ties, a NaN and an
// infinity.
Tensor Values(const Shape& shape, uint32_t seed) {
  std::vector<float> values(shape.num_elements());
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 24) % 9 - 4);
  }
  if (values.size() > 17) {
    values[5] = std::numeric_limits<float>::quiet_NaN();
    values[17] = std::numeric_limits<float>::infinity();
  }
  return Tensor::FromSpan<float>(shape, values);
}

TEST(PoolingTest, TheFusedGradientEqualsThatOfMaxPoolAndRelu) {
  testing::KernelTestHarness harness;
  for (const Case& c : {Case{1, 2, 2}, Case{8, 2, 2}, Case{35, 2, 2},
                        Case{8, 3, 4}, Case{16, 2, 3}, Case{9, 3, 3, "SAME"},
                        Case{3, 2, 2, "VALID", "NCHW"}}) {
    const bool first = std::strcmp(c.format, "NCHW") == 0;
    const Tensor x = Values(
        first ? Shape{2, c.channels, 7, 9} : Shape{2, 7, 9, c.channels}, 1);
    const auto y = harness.RunOne("MaxPool", Attrs(c), {x});
    ASSERT_TRUE(y.ok()) << y.status();
    const Tensor g = Values(y->shape(), 2);
    const auto pooled = harness.RunOne("MaxPoolGrad", Attrs(c), {x, *y, g});
    ASSERT_TRUE(pooled.ok()) << pooled.status();
    const auto expected = harness.RunOne("ReluGrad", {}, {*pooled, x});
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto fused =
        harness.RunOne("_LeatMaxPoolReluGrad", Attrs(c), {x, *y, g});
    ASSERT_TRUE(fused.ok()) << fused.status();
    ASSERT_EQ(fused->shape(), expected->shape());
    for (int64_t i = 0; i < fused->num_elements(); ++i) {
      const float a = fused->data<float>()[i], b = expected->data<float>()[i];
      ASSERT_TRUE(std::memcmp(&a, &b, sizeof(a)) == 0 ||
                  (std::isnan(a) && std::isnan(b)))
          << "channels " << c.channels << ", size " << c.size << ", element "
          << i << ": " << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace leat::pooling_test
