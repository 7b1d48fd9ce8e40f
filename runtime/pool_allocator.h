// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PoolAllocator: an allocator that keeps freed buffers by size and gives them
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
  // The name in messages and in step stats.
  std::string name = "cpu";
  // The most bytes that may be live, reserved and kept together. When a request
  // would exceed it, the kept buffers are freed first; if that is not enough,
  // the request fails.
  int64_t limit_bytes = int64_t{1} << 62;
};

// Thread-safe. Each size has its own lock, so threads seldom wait for each
// other.
//
// The sizes of blocks are the powers of two and three sizes between each two of
// them, so at most a fifth of a block is wasted. Blocks of 2 MiB and more ask
// the system for huge pages. When a block of 1 MiB or more is taken from the
// system, and more than twice as many bytes are kept as were ever in use, all
// kept blocks go back to the system, so that sizes of an earlier batch do not
// pile up.
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
  // Counts `bytes` that are held elsewhere until the last reference to the
  // result goes. Returns null if the limit is reached.
  BufferRef Reserve(int64_t bytes) override;
  absl::string_view name() const override { return options_.name; }

  AllocatorStats stats() const override;

 private:
  class Pool;

  const PoolAllocatorOptions options_;
  Pool* const pool_;  // counts its own references
};

}  // namespace leat

#endif  // LEAT_RUNTIME_POOL_ALLOCATOR_H_
