// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/buffer.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "gtest/gtest.h"

namespace leat::buffer_test {
namespace {

bool IsAligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % kBufferAlignment == 0;
}

TEST(HostAllocatorTest, GivesAlignedWritableBytes) {
  for (const size_t size : {1, 63, 64, 65, 1000, 1 << 20}) {
    const BufferRef buffer = HostAllocator().Allocate(size);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(buffer->size(), size);
    EXPECT_TRUE(IsAligned(buffer->data()));
    std::memset(buffer->data(), 0x5a, size);
  }
}

TEST(HostAllocatorTest, GivesAnEmptyBufferForZeroBytes) {
  const BufferRef buffer = HostAllocator().Allocate(0);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->size(), 0u);
  EXPECT_TRUE(IsAligned(buffer->data()));
}

TEST(HostAllocatorTest, GivesNullWhenTheSizeCannotBeMet) {
  EXPECT_EQ(HostAllocator().Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(HostAllocator().Allocate(SIZE_MAX - 63), nullptr);
  EXPECT_EQ(HostAllocator().Allocate(size_t{1} << 60), nullptr);
}

TEST(BufferTest, IsUniqueWhileOneReferenceExists) {
  BufferRef buffer = HostAllocator().Allocate(8);
  EXPECT_TRUE(buffer->IsUnique());
  BufferRef other = buffer;
  EXPECT_FALSE(buffer->IsUnique());
  BufferRef moved = std::move(other);
  EXPECT_FALSE(buffer->IsUnique());
  moved.reset();
  EXPECT_TRUE(buffer->IsUnique());
}

class CountingBuffer final : public Buffer {
 public:
  explicit CountingBuffer(int* disposed)
      : Buffer(nullptr, 0), disposed_(disposed) {}

 private:
  void Dispose() override {
    ++*disposed_;
    delete this;
  }
  int* const disposed_;
};

TEST(BufferTest, IsDisposedOnceByTheLastReference) {
  int disposed = 0;
  BufferRef first(new CountingBuffer(&disposed));
  BufferRef second = first;
  first.reset();
  EXPECT_EQ(disposed, 0);
  second.reset();
  EXPECT_EQ(disposed, 1);
}

}  // namespace
}  // namespace leat::buffer_test
