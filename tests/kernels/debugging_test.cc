// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::debugging_test {
namespace {

using testing::KernelTestHarness;

TEST(DebuggingTest, AssertShowsItsData) {
  KernelTestHarness harness;
  EXPECT_TRUE(
      harness.Run("Assert", {}, {Tensor::Scalar(true), Tensor::Scalar(1)})
          .ok());
  const auto status =
      harness
          .Run("Assert", {},
               {Tensor::Scalar(false), Tensor::Scalar<std::string>("x is"),
                Tensor::Of<float>(Shape{2, 2}, {1, 2.5, 3, 4})})
          .status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(), "assertion failed: [x is] [[1 2.5][3...]...]");
}

TEST(DebuggingTest, AbortFailsTheStepOnly) {
  KernelTestHarness harness;
  const auto status =
      harness.Run("Abort", {{"error_msg", std::string("enough")}}, {}).status();
  EXPECT_TRUE(absl::IsAborted(status));
  EXPECT_EQ(status.message(), "Abort 'test': enough");
}

TEST(DebuggingTest, CheckNumericsNamesWhatItFound) {
  KernelTestHarness harness;
  const AttrMap attrs = {{"message", std::string("loss")}};
  EXPECT_TRUE(harness.Run("CheckNumerics", attrs, {Tensor::Scalar(1.f)}).ok());
  EXPECT_EQ(harness.Run("CheckNumerics", attrs, {Tensor::Scalar(NAN)})
                .status()
                .message(),
            "loss : Tensor had NaN values");
  EXPECT_EQ(
      harness
          .Run("CheckNumerics", attrs, {Tensor::Vector<float>({NAN, INFINITY})})
          .status()
          .message(),
      "loss : Tensor had Inf and NaN values");
}

TEST(DebuggingTest, PrintTakesAnySummaryLength) {
  KernelTestHarness harness;
  for (const int64_t summarize : {-1, 0, 3}) {
    EXPECT_TRUE(harness
                    .Run("Print", {{"summarize", summarize}},
                         {Tensor::Scalar(1.f),
                          Tensor::Vector<bool>({true, false, true, true})})
                    .ok());
  }
}

TEST(DebuggingTest, PrintV2WritesNoFile) {
  KernelTestHarness harness;
  const auto text = Tensor::Scalar<std::string>("text");
  EXPECT_TRUE(harness.Run("PrintV2", {}, {text}).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(
      harness
          .Run("PrintV2",
               {{"output_stream", std::string("file:///tmp/leat_print")}},
               {text})
          .status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      harness.Run("PrintV2", {{"output_stream", std::string("x")}}, {text})
          .status()));
}

}  // namespace
}  // namespace leat::debugging_test
