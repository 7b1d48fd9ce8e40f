// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PinnedPool is an allocator of memory of the host from which GPUs copy without
// a detour.
#ifndef LEAT_RUNTIME_CUDA_PINNED_POOL_H_
#define LEAT_RUNTIME_CUDA_PINNED_POOL_H_

#include <memory>
#include <string>

#include "leat/core/buffer.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/region_heap.h"

namespace leat {

struct PinnedPoolOptions {
  std::string name = {};  // in messages, such as "GPU:0 host"
  // The most bytes of pinned memory. No other process can use them, so they are
  // a part of the machine's memory.
  int64_t limit_bytes = int64_t{1} << 30;
};

// Thread-safe. Memory beyond the limit, and what the system refuses to pin, is
// ordinary memory: Buffer::memory says which it is. Buffers may outlive the
// pool.
//
// A freed block may be handed out at once, so a copy holds a reference until it
// is done.
class PinnedPool final : public Allocator {
 public:
  // `ordinary` gives the memory beyond the limit. It is borrowed and must
  // outlive the pool. The memory is of the process, not of one GPU.
  PinnedPool(std::shared_ptr<CudaApi> api, Allocator& ordinary,
             PinnedPoolOptions options = {});

  BufferRef Allocate(size_t bytes) override;
  // Returns a pinned buffer or null.
  BufferRef AllocatePinned(size_t bytes) { return heap_->Allocate(bytes); }

  // Counts the bytes where ordinary memory is counted.
  BufferRef Reserve(int64_t bytes) override { return ordinary_.Reserve(bytes); }
  int64_t GiveBackUnused() override { return heap_->GiveBackUnused(); }
  absl::string_view name() const override { return options_.name; }
  // Returns the figures of pinned memory.
  AllocatorStats stats() const override { return heap_->stats(); }

 private:
  Allocator& ordinary_;
  const PinnedPoolOptions options_;
  const std::shared_ptr<RegionHeap> heap_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_PINNED_POOL_H_
