// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/device_health.h"

#include "gtest/gtest.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat::device_health_test {
namespace {

TEST(DeviceHealthTest, KeepsTheFirstErrorThatLosesTheDevice) {
  DeviceHealth health("GPU:0");
  const absl::Status harmless =
      health.Note(CudaError("f", 1, "cudaErrorInvalidValue", "bad value"));
  EXPECT_EQ(harmless.message(), "GPU:0: f: bad value (cudaErrorInvalidValue)");
  EXPECT_TRUE(health.status().ok());
  const absl::Status first =
      health.Note(CudaError("f", 700, "cudaErrorIllegalAddress", "bad"));
  EXPECT_TRUE(health.is_lost());
  EXPECT_EQ(health.Note(CudaError("g", 719, "cudaErrorLaunchFailure", "bad")),
            first);
  EXPECT_EQ(health.status(), first);
  EXPECT_TRUE(health.Note(absl::OkStatus()).ok());
}

TEST(DeviceHealthTest, GivesADeferredErrorOnce) {
  DeviceHealth health("GPU:0");
  EXPECT_TRUE(health.TakeDeferred().ok());
  health.Defer(absl::OkStatus());
  health.Defer(absl::InternalError("first"));
  health.Defer(absl::InternalError("second"));
  EXPECT_EQ(health.TakeDeferred(), absl::InternalError("first"));
  EXPECT_TRUE(health.TakeDeferred().ok());
}

}  // namespace
}  // namespace leat::device_health_test
