// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PoolAllocator: keeps freed buffers by size, so that a steady step takes no
// memory from the system and touches no new page. Thread-safe.
#ifndef LEAT_RUNTIME_POOL_ALLOCATOR_H_
#define LEAT_RUNTIME_POOL_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "leat/core/buffer.h"

namespace leat {

struct PoolAllocatorOptions {
  std::string name = "cpu";
  // Live, reserved and kept bytes together stay below this; beyond it what is
  // kept is freed first, and then there is none.
  int64_t limit_bytes = int64_t{1} << 62;
};

class PoolAllocator final : public Allocator {
 public:
  explicit PoolAllocator(PoolAllocatorOptions options = {});
  // Buffers may outlive the allocator: their pool goes with the last of them.
  ~PoolAllocator() override;
  PoolAllocator(const PoolAllocator&) = delete;
  PoolAllocator& operator=(const PoolAllocator&) = delete;

  BufferRef Allocate(size_t bytes) override;
  BufferRef Reserve(int64_t bytes) override;
  absl::string_view name() const override { return options_.name; }

  AllocatorStats stats() const override;

 private:
  class Pool;

  const PoolAllocatorOptions options_;
  Pool* const pool_;  // counts its references
};

}  // namespace leat

#endif  // LEAT_RUNTIME_POOL_ALLOCATOR_H_
