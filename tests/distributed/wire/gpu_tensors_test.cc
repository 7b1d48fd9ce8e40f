// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that no tensor is sent that the host cannot read.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/wire.h"
#include "leat/tests/testing/gpu/gpu_tensor.h"

namespace leat::gpu_tensors_test {
namespace {

using ::testing::HasSubstr;

TEST(GpuTensorsTest, AreNotSent) {
  Payload payload;
  payload.tensors.push_back({.name = "x", .tensor = testing::GpuTensor()});
  const auto segments =
      EncodePayload(std::move(payload), methods::kRunGraph.request);
  EXPECT_EQ(segments.status().code(), absl::StatusCode::kInternal)
      << segments.status();
  EXPECT_THAT(std::string(segments.status().message()), HasSubstr("gpu:1"));
}

}  // namespace
}  // namespace leat::gpu_tensors_test
