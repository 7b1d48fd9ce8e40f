// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/device_kind.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/work_queue.h"
#include "leat/partitioner/costs/cost_file.h"
#include "leat/runtime/cpu_device.h"
#include "leat/runtime/device_set.h"

namespace leat::device_kind_test {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(DeviceKindTest, HasTheThreads) {
  const auto one = DeviceSet::Create({.num_cpus = 2, .num_threads = 1}).value();
  const auto three = DeviceSet::Create({.num_threads = 3}).value();
  const std::string kind = DeviceKind(*three->devices()[0]);
  EXPECT_THAT(kind, StartsWith("CPU"));
  EXPECT_THAT(kind, EndsWith(", 3 threads"));
  EXPECT_LE(kind.size(), kMaxDeviceKind);
  EXPECT_THAT(DeviceKind(*one->devices()[0]), EndsWith(", 1 thread"));
  EXPECT_EQ(DeviceKind(*one->devices()[0]), DeviceKind(*one->devices()[1]));
}

TEST(DeviceKindTest, HasTheNameOfAGpu) {
  const auto queue = NewThreadPool("q", 1);
  CpuDevice gpu({.name = "/device:GPU:0",
                 .type = kGpu,
                 .description = "device: 0, name: NVIDIA H100, pci bus id: 1"},
                *queue);
  EXPECT_EQ(DeviceKind(gpu), "GPU NVIDIA H100");
}

TEST(ProcessorNameTest, IsPrintableAndNotLong) {
  EXPECT_EQ(
      ProcessorName("processor\t: 0\nmodel\t\t: 1\nmodel name\t: Intel(R) "
                    "Xeon(R)  CPU @ 2.20GHz \nmodel name : other\n"),
      "Intel(R) Xeon(R) CPU @ 2.20GHz");
  EXPECT_EQ(ProcessorName(""), "");
  EXPECT_EQ(ProcessorName("model name"), "");
  EXPECT_EQ(ProcessorName("model name: a\x01\xff\tb"), "a b");
  EXPECT_EQ(
      ProcessorName(absl::StrCat("model name: ", std::string(999, 'x'))).size(),
      80u);
}

}  // namespace
}  // namespace leat::device_kind_test
