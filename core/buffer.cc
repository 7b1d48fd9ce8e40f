// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "leat/core/allocation_gate.h"
#include "leat/core/check.h"

namespace leat {
namespace {

// A HostBuffer is a buffer from malloc. This object lies in front of the bytes,
// in the same block.
class HostBuffer final : public Buffer {
 public:
  static HostBuffer* New(size_t bytes);

 private:
  HostBuffer(char* data, size_t size) : Buffer(data, size) {}

  void Dispose() override {
    this->~HostBuffer();
    std::free(this);
  }
};

// The HostBuffer object takes the first kHeader bytes of the block. The bytes
// of the buffer follow.
constexpr size_t kHeader = kBufferAlignment;
static_assert(sizeof(HostBuffer) <= kHeader);

// Is the size of the user address space of x86-64. No larger request can
// succeed. New refuses larger requests at once, because the sums below could
// overflow.
constexpr size_t kMaxBufferBytes = size_t{1} << 47;

HostBuffer* HostBuffer::New(size_t bytes) {
  if (bytes > kMaxBufferBytes) return nullptr;
  const size_t rounded =
      (bytes + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
  void* block = std::aligned_alloc(kBufferAlignment, kHeader + rounded);
  if (block == nullptr) return nullptr;
  return new (block) HostBuffer(static_cast<char*>(block) + kHeader, bytes);
}

class MallocAllocator final : public Allocator {
 public:
  BufferRef Allocate(size_t bytes) override {
    if (!AllocationGate::Admits()) return nullptr;
    return BufferRef(HostBuffer::New(bytes));
  }
  absl::string_view name() const override { return "host"; }
};

class SmallAllocator final : public Allocator {
 public:
  BufferRef Allocate(size_t bytes) override {
    HostBuffer* const buffer = HostBuffer::New(bytes);
    LEAT_CHECK(buffer != nullptr);
    return BufferRef(buffer);
  }
  absl::string_view name() const override { return "host"; }
};

}  // namespace

BufferRef Allocator::Reserve(int64_t) { return Allocate(0); }

void Allocator::CopyBytes(char* to, const char* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

Allocator& HostAllocator() {
  static MallocAllocator* const allocator = new MallocAllocator;
  return *allocator;
}

Allocator& SmallTensorAllocator() {
  static SmallAllocator* const allocator = new SmallAllocator;
  return *allocator;
}

}  // namespace leat
