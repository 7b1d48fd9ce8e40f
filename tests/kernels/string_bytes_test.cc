// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/string_bytes.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat {
namespace {

using ::leat::kernels::kMaxStringBytes;
using ::leat::kernels::StringBytes;
using ::leat::kernels::StringBytesLimit;
using ::leat::testing::KernelTestHarness;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

class CountingAllocator final : public Allocator {
 public:
  explicit CountingAllocator(int64_t live_bytes) : live_bytes_(live_bytes) {}
  BufferRef Allocate(size_t bytes) override {
    return HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "counting"; }
  AllocatorStats stats() const override { return {.live_bytes = live_bytes_}; }

 private:
  const int64_t live_bytes_;
};

// A device that has little memory.
class SmallDevice final : public Device {
 public:
  SmallDevice(int64_t memory_bytes, int64_t live_bytes, WorkQueue& queue)
      : Device({.name = "/device:CPU:0",
                .type = kCpu,
                .memory_bytes = memory_bytes,
                .incarnation = 1}),
        allocator_(live_bytes),
        queue_(queue) {}
  Allocator& allocator() final { return allocator_; }
  Allocator& host_allocator() final { return allocator_; }
  WorkQueue& compute_queue() final { return queue_; }

 private:
  CountingAllocator allocator_;
  WorkQueue& queue_;
};

TEST(StringBytesTest, CountsEveryElementAndRefusesOneByteTooMany) {
  StringBytes bytes;
  EXPECT_TRUE(bytes.Check(0).ok());
  bytes.Add(Tensor::Vector<std::string>({"", "ab", std::string(100, 'x')}), 3);
  EXPECT_EQ(bytes.total(), 306);
  bytes.Add(7, 2);
  EXPECT_EQ(bytes.total(), 320);
  EXPECT_TRUE(bytes.Check(320).ok());
  const absl::Status status = bytes.Check(319);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StrContains(status.message(),
                                "320 bytes, more than the limit of 319"))
      << status;
}

TEST(StringBytesTest, SaturatesWhereSumsAndProductsOverflow) {
  StringBytes product;
  product.Add(Tensor::Scalar<std::string>("abc"), kMost / 2);
  EXPECT_EQ(product.total(), kMost);
  StringBytes sum;
  sum.Add(kMost, 1);
  sum.Add(1, 1);
  EXPECT_EQ(sum.total(), kMost);
  sum.Add(0, 5);
  EXPECT_EQ(sum.Check(kMost - 1).code(), absl::StatusCode::kResourceExhausted);
}

TEST(StringBytesTest, TheLimitIsWhatIsFreeAndAGigabyteAtMost) {
  KernelTestHarness harness;
  WorkQueue& queue = harness.device().compute_queue();
  const auto limit = [&](int64_t memory, int64_t live) {
    SmallDevice device(memory, live, queue);
    return StringBytesLimit(device);
  };
  EXPECT_EQ(limit(0, 0), kMaxStringBytes);
  EXPECT_EQ(limit(int64_t{1} << 62, 0), kMaxStringBytes);
  EXPECT_EQ(limit(1000, 0), 1000);
  EXPECT_EQ(limit(1000, 400), 600);
  EXPECT_EQ(limit(1000, 1001), 0);
}

// On a device of 1000 bytes.
class StringKernelsTest : public ::testing::Test {
 protected:
  StringKernelsTest() { harness_.services().device = &device_; }

  absl::StatusOr<Tensor> Run(const char* op, std::vector<Tensor> inputs,
                             AttrMap attrs = {}) {
    return harness_.RunOne(op, std::move(attrs), std::move(inputs));
  }
  void Exhausts(const char* op, std::vector<Tensor> inputs, int64_t bytes,
                AttrMap attrs = {}) {
    const absl::Status status =
        Run(op, std::move(inputs), std::move(attrs)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_TRUE(absl::StrContains(
        status.message(),
        absl::StrCat(bytes, " bytes, more than the limit of 1000")))
        << status;
  }

  KernelTestHarness harness_;
  SmallDevice device_{1000, 0, harness_.device().compute_queue()};
};

Tensor Text(size_t size) {
  return Tensor::Scalar<std::string>(std::string(size, 'x'));
}

TEST_F(StringKernelsTest, AddsThatDoubleEndInAStatus) {
  for (const char* const op : {"Add", "StringJoin"}) {
    Tensor value = Text(1);
    int doublings = 0;
    absl::Status status;
    while (doublings < 20) {
      const auto sum = Run(op, {value, value});
      status = sum.status();
      if (!status.ok()) break;
      value = *sum;
      ++doublings;
      EXPECT_EQ(value.scalar<std::string>(), std::string(1 << doublings, 'x'));
    }
    EXPECT_EQ(doublings, 9) << op;
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_TRUE(absl::StrContains(status.message(),
                                  "1024 bytes, more than the limit of 1000"))
        << status;
  }
}

TEST_F(StringKernelsTest, BroadcastElementsCountAsOftenAsTheyAreUsed) {
  const Tensor row = Tensor::Of<std::string>(Shape{1, 3}, {"a", "b", "c"});
  const Tensor column =
      Tensor::Of<std::string>(Shape{2, 1}, {std::string(331, 'x'), ""});
  const auto sum = Run("Add", {row, column});  // 999 bytes
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->data<std::string>()[5], "c");
  Exhausts(
      "Add",
      {row, Tensor::Of<std::string>(Shape{2, 1}, {std::string(332, 'x'), ""})},
      3 * 332 + 2 * 3);
  Exhausts("Add", {Text(501), Tensor::Filled<std::string>(Shape{2}, "")}, 1002);
  // Nothing of an empty result is made.
  const Tensor none = Tensor::Filled<std::string>(Shape{0}, "");
  EXPECT_TRUE(Run("Add", {Text(2000), none}).ok());
  EXPECT_TRUE(Run("StringJoin", {Text(2000), none}).ok());
}

TEST_F(StringKernelsTest, JoinsCountTheirSeparators) {
  AttrMap attrs;
  attrs.Set("separator", std::string(100, '-'));
  const Tensor four = Tensor::Filled<std::string>(Shape{4}, "y");
  const auto joined = Run("StringJoin", {Text(149), four}, attrs);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->data<std::string>()[3],
            absl::StrCat(std::string(149, 'x'), std::string(100, '-'), "y"));
  Exhausts("StringJoin", {Text(150), four}, 4 * (150 + 100 + 1), attrs);
}

TEST_F(StringKernelsTest, ScatterNdAppendsNoMoreThanTheLimit) {
  const Tensor indices = Tensor::Of<int32_t>(Shape{3, 1}, {1, 1, 0});
  const Tensor shape = Tensor::Vector<int32_t>({2});
  const auto updates = [](size_t size) {
    return Tensor::Filled<std::string>(Shape{3}, std::string(size, 'x'));
  };
  const auto result = Run("ScatterNd", {indices, updates(333), shape});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data<std::string>()[1].size(), 666u);
  Exhausts("ScatterNd", {indices, updates(334), shape}, 1002);
}

}  // namespace
}  // namespace leat
