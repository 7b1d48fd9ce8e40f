// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PinnedPool allocates pinned memory of the host, from which GPUs copy
// directly.
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
  // The most bytes of pinned memory. Pinned memory cannot be swapped out, so it
  // is lost to all other processes.
  int64_t limit_bytes = int64_t{1} << 30;
  // CUDA's number of a GPU that this process uses. This GPU is made current
  // before memory is pinned. Otherwise CUDA would begin to use GPU 0.
  int ordinal = 0;
};

// Thread-safe. Allocate returns ordinary memory beyond the limit, and when the
// system refuses to pin memory. Buffer::memory tells which kind a buffer has.
// Buffers may outlive the pool.
//
// A freed block may be handed out at once, so a copy holds a reference until it
// is done.
class PinnedPool final : public Allocator {
 public:
  // `ordinary` gives the memory beyond the limit. It is borrowed and must
  // outlive the pool. If it is null, there is no memory beyond the limit.
  // Pinned memory belongs to the process, not to one GPU.
  PinnedPool(std::shared_ptr<CudaApi> api, Allocator* ordinary,
             PinnedPoolOptions options = {});

  BufferRef Allocate(size_t bytes) override;
  // Returns a pinned buffer or null.
  BufferRef AllocatePinned(size_t bytes) { return heap_->Allocate(bytes); }

  // Reserves the bytes in the allocator of ordinary memory.
  BufferRef Reserve(int64_t bytes) override {
    return ordinary_ == nullptr ? nullptr : ordinary_->Reserve(bytes);
  }
  int64_t GiveBackUnused() override { return heap_->GiveBackUnused(); }
  absl::string_view name() const override { return options_.name; }
  // Returns the figures of pinned memory.
  AllocatorStats stats() const override { return heap_->stats(); }

 private:
  Allocator* const ordinary_;  // may be null
  const PinnedPoolOptions options_;
  const std::shared_ptr<RegionHeap> heap_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_PINNED_POOL_H_
