// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PoolAllocator is an allocator that keeps freed buffers by size and gives them
// out again. In a steady state a step therefore takes no memory from the system
// and touches no new page.
#ifndef LEAT_RUNTIME_POOL_ALLOCATOR_H_
#define LEAT_RUNTIME_POOL_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "leat/core/buffer.h"

namespace leat {

struct PoolAllocatorOptions {
  // Is the name in messages and in step stats.
  std::string name = "cpu";
  // Limits the number of live, reserved and kept bytes together. If a request
  // would exceed the limit, the allocator first frees the kept buffers. If that
  // is not enough, the request fails.
  int64_t limit_bytes = int64_t{1} << 62;
};

// Is thread-safe. Each size has its own lock, so threads seldom wait for each
// other.
//
// The sizes of blocks are the powers of two from 256 bytes on and, between each
// power of two and the next, three more sizes. At most a fifth of a block of
// more than 256 bytes is therefore wasted. For blocks of 2 MiB and more, the
// allocator asks the system for huge pages.
//
// Before the allocator takes a block of 1 MiB or more from the system, it makes
// a check. If the kept blocks have more than twice as many bytes as were in use
// at this or any earlier check, the allocator gives all kept blocks back to the
// system. Without this check, blocks whose sizes only earlier batches needed
// would pile up.
class PoolAllocator final : public Allocator {
 public:
  explicit PoolAllocator(PoolAllocatorOptions options = {});
  // Buffers may outlive the allocator. Their pool is freed with the last of
  // them.
  ~PoolAllocator() override;
  PoolAllocator(const PoolAllocator&) = delete;
  PoolAllocator& operator=(const PoolAllocator&) = delete;

  // Returns null if the limit is reached or the system has no memory left.
  BufferRef Allocate(size_t bytes) override;
  // Counts `bytes` as reserved until the last reference to the result is
  // dropped. The bytes themselves are held elsewhere. Returns null if the limit
  // is reached.
  BufferRef Reserve(int64_t bytes) override;
  // Gives back the blocks that have not been used since the last call. If all
  // steps are alike, every step uses every block, so no block is given back.
  int64_t GiveBackUnused() override;
  absl::string_view name() const override { return options_.name; }

  AllocatorStats stats() const override;

 private:
  class Pool;

  const PoolAllocatorOptions options_;
  Pool* const pool_;  // counts its own references
};

}  // namespace leat

#endif  // LEAT_RUNTIME_POOL_ALLOCATOR_H_
