// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that steps with tensors of the same shapes take no memory for tensors
// from the system once the pools are filled.
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_session.h"

namespace leat::steady_step_test {
namespace {

class SteadyStepTest : public ::testing::TestWithParam<int> {
 protected:
  // Builds a graph of products and sums. Some of them are on the last device.
  void SetUp() override {
    devices_ =
        DeviceSet::Create({.num_cpus = GetParam(), .num_threads = 2}).value();
    GraphBuilder b;
    const Output x = b.Placeholder<float>("x", {-1, 16});
    Output sum = x;
    for (int i = 0; i < 5; ++i) {
      auto device = b.OnDevice(GetParam() > 1 && i % 2 == 1 ? "/cpu:1" : "");
      sum = op::Relu(op::MatMul(sum, x, {.transpose_b = true}));
      sum = op::MatMul(sum, x);
    }
    session_ =
        NewLocalSession(b.Build().value(), {.device_set = devices_}).value();
    step_ = session_->MakeCallable({.feeds = {x}, .fetches = {sum}}).value();
  }

  void Run(int64_t rows) {
    const auto out = step_({Tensor::Filled<float>(Shape{rows, 16}, 0.01f)});
    ASSERT_TRUE(out.ok()) << out.status();
  }

  // Fills each pool with 64 buffers of each size. This is more than a step
  // needs.
  void FillPools(const std::vector<size_t>& sizes) {
    constexpr int kBuffers = 64;
    std::vector<BufferRef> buffers;
    for (const auto& device : devices_->devices()) {
      for (const size_t bytes : sizes) {
        for (int i = 0; i < kBuffers; ++i) {
          buffers.push_back(device->allocator().Allocate(bytes));
        }
      }
    }
  }

  int64_t SystemRequests() const {
    int64_t requests = 0;
    for (const auto& device : devices_->devices()) {
      requests += device->allocator().stats().system_requests;
    }
    return requests;
  }

  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<Session> session_;
  Callable step_;
};

INSTANTIATE_TEST_SUITE_P(Devices, SteadyStepTest, ::testing::Values(1, 2));

TEST_P(SteadyStepTest, TakesNoBufferFromTheSystem) {
  // The number of buffers that are in use at the same time depends on the
  // timing of the threads. So a later step may need more buffers than the first
  // steps. Therefore the test fills the pools before it counts.
  FillPools({100 * 16 * sizeof(float), 100 * 100 * sizeof(float)});
  for (int i = 0; i < 5; ++i) Run(100);
  const int64_t before = SystemRequests();
  EXPECT_GT(before, 0);
  for (int i = 0; i < 200; ++i) Run(100);
  EXPECT_EQ(SystemRequests(), before);
}

TEST_P(SteadyStepTest, LargerTensorsDoTakeThem) {
  for (int i = 0; i < 20; ++i) Run(10);
  const int64_t before = SystemRequests();
  Run(1000);
  EXPECT_GE(SystemRequests() - before, 2);
}

}  // namespace
}  // namespace leat::steady_step_test
