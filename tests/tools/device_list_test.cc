// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/device_list.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/tests/testing/fake_cuda.h"
#include "nlohmann/json.hpp"

namespace leat::device_list_test {
namespace {

using ::leat::testing::FakeCuda;
using ::leat::testing::FakeCudaOptions;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Asks for `num_gpus` of the GPUs that a fake machine has.
DeviceSetOptions OnMachine(int num_machine_gpus, int num_gpus) {
  DeviceSetOptions options{.num_threads = 1, .num_gpus = num_gpus};
  options.cuda = std::make_shared<FakeCuda>(
      FakeCudaOptions{.num_gpus = num_machine_gpus,
                      .memory_bytes = int64_t{100} << 20,
                      .has_thread = false,
                      .runs_when_asked = true});
  return options;
}

std::string TextOf(const DeviceSetOptions& options) {
  const auto text = DeviceList(options, {});
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

TEST(DeviceListTest, TellsMemoryCapabilityAndDriverOfEachGpu) {
  const std::string text = TextOf(OnMachine(2, kAllGpus));
  EXPECT_THAT(text, HasSubstr("/device:CPU:0"));
  EXPECT_THAT(text, HasSubstr("/device:GPU:0"));
  EXPECT_THAT(text, HasSubstr("/device:GPU:1"));
  EXPECT_THAT(text, HasSubstr("90.0 MiB"));
  EXPECT_THAT(text, HasSubstr("compute capability: 9.0"));
  EXPECT_THAT(text, HasSubstr("driver: CUDA 13.0"));
  EXPECT_THAT(text, Not(HasSubstr("no GPU")));
}

TEST(DeviceListTest, TellsOfGpusThatNobodyAskedFor) {
  EXPECT_THAT(TextOf(OnMachine(1, 0)),
              EndsWith("\nthis machine has 1 GPU; --devices gpu:all lists it, "
                       "too\n"));
  EXPECT_THAT(TextOf(OnMachine(2, 0)),
              EndsWith("\nthis machine has 2 GPUs; --devices gpu:all lists "
                       "them, too\n"));
}

// Only gpu:all may touch the memory of a GPU.
TEST(DeviceListTest, OnlyCountsGpusThatNobodyAskedFor) {
  const auto cuda = std::make_shared<FakeCuda>();
  TextOf({.num_threads = 1, .cuda = cuda});
  EXPECT_EQ(cuda->count(FakeCuda::Call::kNewStream), 0);
  EXPECT_EQ(cuda->count(FakeCuda::Call::kNewMemory), 0);
}

TEST(DeviceListTest, SaysInALineWhyThereIsNoGpu) {
  for (const int num_gpus : {0, kAllGpus}) {
    EXPECT_THAT(TextOf(OnMachine(0, num_gpus)),
                EndsWith("\nno GPU: this machine has no NVIDIA GPU\n"));
  }
  const auto cuda = NewCudaApi();
  if (cuda.ok()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THAT(
      TextOf({.num_threads = 1}),
      EndsWith("\nno GPU: " + std::string(cuda.status().message()) + "\n"));
}

TEST(DeviceListTest, JsonHasOnlyDevicesAndTheLogSaysWhyThereIsNoGpu) {
  for (const int num_gpus : {0, kAllGpus}) {
    DeviceSetOptions options = OnMachine(0, num_gpus);
    std::vector<std::string> lines;
    options.log = [&](absl::string_view line) { lines.emplace_back(line); };
    const auto text = DeviceList(options, {.json = true});
    ASSERT_TRUE(text.ok()) << text.status();
    const auto json = nlohmann::json::parse(*text);
    ASSERT_EQ(json.size(), 1u);
    EXPECT_EQ(json[0]["type"], "CPU");
    if (num_gpus == 0) {
      EXPECT_THAT(lines, IsEmpty());
    } else {
      EXPECT_THAT(lines, Contains(HasSubstr("no GPU")));
    }
  }
}

TEST(DeviceListTest, JsonDescribesGpus) {
  const auto text = DeviceList(OnMachine(1, 1), {.json = true});
  ASSERT_TRUE(text.ok()) << text.status();
  const auto json = nlohmann::json::parse(*text);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["type"], "GPU");
  EXPECT_EQ(json[1]["memory_bytes"], int64_t{90} << 20);
  EXPECT_THAT(json[1]["description"].get<std::string>(),
              HasSubstr("driver: CUDA 13.0"));
}

}  // namespace
}  // namespace leat::device_list_test
