// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the kernels' functions for float with the C library's functions for
// double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::transcendental_test {
namespace {

// Returns the largest error over [low, high] in units in the last place.
double LargestError(const char* op, double (*exact)(double), float low,
                    float high) {
  constexpr int kCount = 200001;
  std::vector<float> x(kCount);
  for (int i = 0; i < kCount; ++i) {
    x[i] = low + (high - low) * static_cast<float>(i) / (kCount - 1);
  }
  testing::KernelTestHarness harness;
  const auto y =
      harness.RunOne(op, {}, {Tensor::FromSpan<float>(Shape{kCount}, x)});
  if (!y.ok()) return HUGE_VAL;
  double worst = 0;
  for (int i = 0; i < kCount; ++i) {
    const double expected = exact(x[i]);
    const float rounded = static_cast<float>(expected);
    if (std::fabs(rounded) < std::numeric_limits<float>::min()) continue;
    const double ulp =
        std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
    worst = std::max(worst, std::fabs(y->data<float>()[i] - expected) / ulp);
  }
  return worst;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(TranscendentalTest, FloatErrorsAreAFewUnitsInTheLastPlace) {
  EXPECT_LT(LargestError("Exp", std::exp, -86, 88), 3);
  EXPECT_LT(LargestError("Log", std::log, 1e-6f, 1e6f), 3);
  EXPECT_LT(LargestError("Log1p", std::log1p, -0.99f, 100), 3);
  EXPECT_LT(LargestError("Tanh", std::tanh, -10, 10), 6);
  EXPECT_LT(LargestError("Sigmoid", Sigmoid, -80, 80), 4);
  // Near a zero of the function the last place of the result is tiny, so the
  // ranges stay away from zeros.
  EXPECT_LT(LargestError("Sin", std::sin, 0.1f, 3), 3);
  EXPECT_LT(LargestError("Cos", std::cos, -1.5f, 1.5f), 3);
}

}  // namespace
}  // namespace leat::transcendental_test
