// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/accounted_allocator.h"

#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"

namespace leat::accounted_allocator_test {
namespace {

using ::testing::HasSubstr;

class AccountedAllocatorTest : public ::testing::Test {
 protected:
  const std::shared_ptr<MemoryAccount> account_ =
      std::make_shared<MemoryAccount>("session 12345678", 1000);
  AccountedAllocator allocator_{HostAllocator(), account_};
};

TEST_F(AccountedAllocatorTest, ChargesWhatLives) {
  BufferRef first = allocator_.Allocate(600);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->size(), 600u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first->data()) % kBufferAlignment, 0u);
  EXPECT_TRUE(first->IsUnique());
  EXPECT_EQ(account_->live_bytes(), 600);
  EXPECT_EQ(allocator_.Allocate(401), nullptr);
  EXPECT_EQ(account_->live_bytes(), 600);
  const BufferRef second = allocator_.Allocate(400);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(account_->live_bytes(), 1000);
  first.reset();
  EXPECT_EQ(account_->live_bytes(), 400);
  EXPECT_NE(allocator_.Allocate(600), nullptr);
  EXPECT_EQ(account_->live_bytes(), 400);
}

TEST_F(AccountedAllocatorTest, ChargesWhatObjectsHold) {
  BufferRef held = allocator_.Reserve(900);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(account_->live_bytes(), 900);
  EXPECT_EQ(allocator_.Reserve(101), nullptr);
  held.reset();
  EXPECT_EQ(account_->live_bytes(), 0);
  // A string tensor is charged for the string object and for its characters
  // (2,000 bytes here, twice the limit).
  const auto text = Tensor::Allocate(allocator_, DType::kString, Shape{}, 2000);
  EXPECT_EQ(text.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(account_->live_bytes(), 0);
}

TEST_F(AccountedAllocatorTest, SaysWhoseLimitItIs) {
  const auto tensor = Tensor::Allocate(allocator_, DType::kFloat, Shape{1000});
  EXPECT_EQ(tensor.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(tensor.status().message()),
              HasSubstr(" of session 12345678"));
}

TEST_F(AccountedAllocatorTest, SizesDoNotOverflow) {
  const BufferRef some = allocator_.Allocate(1);
  EXPECT_EQ(allocator_.Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(allocator_.Allocate(static_cast<size_t>(INT64_MAX)), nullptr);
  EXPECT_EQ(allocator_.Reserve(INT64_MAX), nullptr);
  EXPECT_EQ(account_->live_bytes(), 1);
}

class EmptyMemory final : public Allocator {
 public:
  BufferRef Allocate(size_t) override { return nullptr; }
  BufferRef Reserve(int64_t) override { return nullptr; }
  absl::string_view name() const override { return "empty"; }
};

TEST_F(AccountedAllocatorTest, DoesNotChargeWhatMemoryDoesNotHave) {
  EmptyMemory memory;
  AccountedAllocator allocator(memory, account_);
  EXPECT_EQ(allocator.Allocate(600), nullptr);
  EXPECT_EQ(allocator.Reserve(600), nullptr);
  EXPECT_EQ(account_->live_bytes(), 0);
}

TEST_F(AccountedAllocatorTest, BuffersOutliveTheAllocator) {
  auto account = std::make_shared<MemoryAccount>("session", 1000);
  auto allocator =
      std::make_unique<AccountedAllocator>(HostAllocator(), account);
  BufferRef buffer = allocator->Allocate(100);
  allocator.reset();
  const std::weak_ptr<MemoryAccount> watched = account;
  account.reset();
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(watched.lock()->live_bytes(), 100);
  buffer.reset();
  EXPECT_TRUE(watched.expired());
}

// The limit is so high that no Take is refused, because refused Takes could
// hide that other updates were lost.
TEST_F(AccountedAllocatorTest, ForgetsNothingOnManyThreads) {
  MemoryAccount account("session", int64_t{1} << 40);
  std::vector<std::thread> threads;
  std::latch all_begin(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      all_begin.arrive_and_wait();
      for (int i = 0; i < 1'000'000; ++i) {
        ASSERT_TRUE(account.Take(400));
        account.Give(400);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(account.live_bytes(), 0);
}

TEST_F(AccountedAllocatorTest, ThreadsTogetherStayBelowTheLimit) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 10'000; ++i) {
        const BufferRef buffer = allocator_.Allocate(400);
        EXPECT_LE(account_->live_bytes(), 1000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(account_->live_bytes(), 0);
}

}  // namespace
}  // namespace leat::accounted_allocator_test
