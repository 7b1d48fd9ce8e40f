// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StreamAllocator allocates the memory of a GPU. Its blocks belong to one
// stream. A freed block may be handed out again while queued work still uses
// it, because later work in the same stream runs after the queued work.
#ifndef LEAT_RUNTIME_CUDA_STREAM_ALLOCATOR_H_
#define LEAT_RUNTIME_CUDA_STREAM_ALLOCATOR_H_

#include <memory>
#include <string>

#include "leat/core/buffer.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/device_health.h"
#include "leat/runtime/cuda/region_heap.h"

namespace leat {

// The options of a StreamAllocator.
struct StreamAllocatorOptions {
  std::string name = {};  // in messages, such as "GPU:0"
  int ordinal = 0;
  CudaStream stream = nullptr;  // to which the blocks belong
  RegionHeapOptions heap = {};
};

// Thread-safe. Code that uses a block in another stream must hold a reference
// to it until an event of that stream has passed. Buffers may outlive the
// allocator, but not the stream.
//
// If the GPU is lost, regions are not given back any more.
class StreamAllocator final : public Allocator {
 public:
  StreamAllocator(std::shared_ptr<CudaApi> api,
                  std::shared_ptr<DeviceHealth> health,
                  StreamAllocatorOptions options);

  BufferRef Allocate(size_t bytes) override;
  // Waits for all work of the GPU if there is anything to give back.
  int64_t GiveBackUnused() override { return heap_->GiveBackUnused(); }
  // Queues the copy in the stream. Passes an error to DeviceHealth::Defer.
  void CopyBytes(char* to, const char* from, size_t bytes) override;
  absl::string_view name() const override { return options_.name; }
  AllocatorStats stats() const override { return heap_->stats(); }

  RegionHeapStats heap_stats() const { return heap_->heap_stats(); }
  // Describes how the memory is used, for the error of a request that failed.
  std::string Describe() const { return heap_->Describe(); }

 private:
  const std::shared_ptr<CudaApi> api_;
  const std::shared_ptr<DeviceHealth> health_;
  const StreamAllocatorOptions options_;
  const std::shared_ptr<RegionHeap> heap_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_STREAM_ALLOCATOR_H_
