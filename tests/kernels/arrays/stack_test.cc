// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the op cases (tests/op_cases/tensor_arrays.jsonl) cannot show of
// stacks: their limits, and pushes by several threads.
#include "leat/kernels/arrays/stack.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/accounted_allocator.h"
#include "leat/tests/testing/failing_allocations.h"

namespace leat::stack_test {
namespace {

using kernels::Stack;
using testing::FailingAllocations;
using ::testing::HasSubstr;

TEST(StackTest, ElementsAreNotCopied) {
  Stack stack("s", DType::kFloat, -1);
  const Tensor pushed = Tensor::Vector<float>({1, 2});
  ASSERT_TRUE(stack.Push(pushed, HostAllocator()).ok());
  const absl::StatusOr<Tensor> popped = stack.Pop(DType::kFloat);
  ASSERT_TRUE(popped.ok()) << popped.status();
  EXPECT_TRUE(popped->SharesBufferWith(pushed));
}

TEST(StackTest, KeepsNothingThatWasPoppedOrClosed) {
  Stack stack("s", DType::kFloat, -1);
  const Tensor first = Tensor::Scalar(1.f), second = Tensor::Scalar(2.f);
  ASSERT_TRUE(stack.Push(first, HostAllocator()).ok());
  ASSERT_TRUE(stack.Push(second, HostAllocator()).ok());
  EXPECT_FALSE(second.IsUnique());
  EXPECT_TRUE(stack.Pop(DType::kFloat).ok());
  EXPECT_TRUE(second.IsUnique());
  EXPECT_FALSE(first.IsUnique());
  stack.Close();
  EXPECT_TRUE(first.IsUnique());
}

TEST(StackTest, APushWithoutMemoryChangesNothing) {
  Stack stack("s", DType::kFloat, -1);
  const Tensor element = Tensor::Scalar(1.f);
  {
    FailingAllocations failing(1, testing::NthFailure::kOnlyOne);
    EXPECT_TRUE(
        absl::IsResourceExhausted(stack.Push(element, HostAllocator())));
  }
  EXPECT_THAT(stack.Pop(DType::kFloat).status().message(),
              HasSubstr("Stack[s] is empty when calling Pop()."));
}

TEST(StackTest, LongShapesCountAsMemory) {
  const auto account = std::make_shared<MemoryAccount>("", 1 << 20);
  AccountedAllocator memory(HostAllocator(), account);
  Stack stack("s", DType::kFloat, -1);
  const Dims ones(Shape::kMaxRank, 1);
  const Tensor element =
      Tensor::Filled<float>(Shape::Create(ones).value(), 1.f);
  absl::Status status;
  int pushed = 0;
  while (pushed < 1000 && status.ok()) {
    status = stack.Push(element, memory);
    ++pushed;
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_GT(pushed, 100);
  EXPECT_TRUE(stack.Pop(DType::kFloat).ok());
  EXPECT_TRUE(stack.Push(element, memory).ok());
  stack.Close();
  EXPECT_EQ(account->live_bytes(), 0);
}

TEST(StackTest, ThreadsPushAndPopEachElementOnce) {
  constexpr int kThreads = 4, kElements = 1000;
  Stack stack("s", DType::kInt32, kThreads * kElements);
  std::vector<std::thread> threads;
  std::atomic<int64_t> sum = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&stack, &sum, t] {
      for (int i = 0; i < kElements; ++i) {
        const int32_t value = t * kElements + i;
        EXPECT_TRUE(stack.Push(Tensor::Scalar(value), HostAllocator()).ok());
        const absl::StatusOr<Tensor> popped = stack.Pop(DType::kInt32);
        ASSERT_TRUE(popped.ok());
        sum += popped->scalar<int32_t>();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr int64_t kAll = kThreads * kElements;
  EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
  EXPECT_FALSE(stack.Pop(DType::kInt32).ok());
}

}  // namespace
}  // namespace leat::stack_test
