// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/stream_allocator.h"

#include <utility>

namespace leat {
namespace {

// The memory of a GPU.
class DeviceRegions final : public RegionSource {
 public:
  DeviceRegions(std::shared_ptr<CudaApi> api,
                std::shared_ptr<DeviceHealth> health,
                const StreamAllocatorOptions& options)
      : api_(std::move(api)),
        health_(std::move(health)),
        ordinal_(options.ordinal),
        stream_(options.stream) {}

  char* Take(size_t bytes) override {
    if (!health_->Note(api_->SetDevice(ordinal_)).ok()) return nullptr;
    const absl::StatusOr<char*> region = api_->NewMemory(bytes);
    return health_->Note(region.status()).ok() ? *region : nullptr;
  }

  void Give(char* region) override {
    if (health_->is_lost()) return;
    health_->Note(api_->SetDevice(ordinal_)).IgnoreError();
    health_->Note(api_->FreeMemory(region)).IgnoreError();
  }

  Memory memory() const override {
    return {MemoryKind::kDevice, static_cast<uint8_t>(ordinal_)};
  }

  void Begin(char* block, size_t bytes) override {
    api_->BeginUse(stream_, block, bytes);
  }
  void End(char* block, size_t bytes) override {
    api_->EndUse(stream_, block, bytes);
  }

 private:
  const std::shared_ptr<CudaApi> api_;
  const std::shared_ptr<DeviceHealth> health_;
  const int ordinal_;
  const CudaStream stream_;
};

}  // namespace

StreamAllocator::StreamAllocator(std::shared_ptr<CudaApi> api,
                                 std::shared_ptr<DeviceHealth> health,
                                 StreamAllocatorOptions options)
    : api_(std::move(api)),
      health_(std::move(health)),
      options_(std::move(options)),
      heap_(RegionHeap::New(
          std::make_unique<DeviceRegions>(api_, health_, options_),
          options_.heap)) {}

BufferRef StreamAllocator::Allocate(size_t bytes) {
  return health_->is_lost() ? nullptr : heap_->Allocate(bytes);
}

void StreamAllocator::CopyBytes(char* to, const char* from, size_t bytes) {
  if (bytes == 0 || health_->is_lost()) return;
  absl::Status status = api_->SetDevice(options_.ordinal);
  if (status.ok()) {
    status = api_->CopyOnDevice(options_.stream, to, from, bytes);
  }
  health_->Defer(health_->Note(status));
}

}  // namespace leat
