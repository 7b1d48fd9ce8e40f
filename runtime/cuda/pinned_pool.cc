// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/pinned_pool.h"

#include <utility>

namespace leat {
namespace {

class PinnedRegions final : public RegionSource {
 public:
  PinnedRegions(std::shared_ptr<CudaApi> api, int ordinal)
      : api_(std::move(api)), ordinal_(ordinal) {}

  char* Take(size_t bytes) override {
    if (!api_->SetDevice(ordinal_).ok()) return nullptr;
    return api_->NewPinned(bytes).value_or(nullptr);
  }
  void Give(char* region) override {
    // This fails if the GPU is lost. Then the memory is lost, too.
    api_->SetDevice(ordinal_).IgnoreError();
    api_->FreePinned(region).IgnoreError();
  }
  Memory memory() const override { return {MemoryKind::kPinned, 0}; }

 private:
  const std::shared_ptr<CudaApi> api_;
  const int ordinal_;
};

}  // namespace

PinnedPool::PinnedPool(std::shared_ptr<CudaApi> api, Allocator* ordinary,
                       PinnedPoolOptions options)
    : ordinary_(ordinary),
      options_(std::move(options)),
      heap_(RegionHeap::New(
          std::make_unique<PinnedRegions>(std::move(api), options_.ordinal),
          {.limit_bytes = options_.limit_bytes})) {}

BufferRef PinnedPool::Allocate(size_t bytes) {
  BufferRef pinned = AllocatePinned(bytes);
  if (pinned != nullptr || ordinary_ == nullptr) return pinned;
  return ordinary_->Allocate(bytes);
}

}  // namespace leat
