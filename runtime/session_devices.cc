// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/session_devices.h"

#include <utility>

#include "leat/core/devices/host_side_device.h"

namespace leat {
namespace {

// A device of the set, whose memory is charged to accounts.
class SessionDevice final : public Device {
 public:
  // `host` is the account for memory of the host, and `own` for that of the
  // device.
  SessionDevice(Device& device, const std::shared_ptr<MemoryAccount>& own,
                const std::shared_ptr<MemoryAccount>& host)
      : Device(device.info()),
        device_(device),
        allocator_(device.allocator(), own),
        host_allocator_(device.host_allocator(), host),
        host_side_(*this) {}

  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return host_allocator_; }
  WorkQueue& compute_queue() override { return device_.compute_queue(); }
  GpuStream* gpu_stream() override { return device_.gpu_stream(); }
  Device& host_side() override {
    return gpu_stream() == nullptr ? static_cast<Device&>(*this) : host_side_;
  }
  FileService* files() override { return device_.files(); }

 private:
  Device& device_;
  AccountedAllocator allocator_;
  AccountedAllocator host_allocator_;
  HostSideDevice host_side_;
};

}  // namespace

SessionDevices::SessionDevices(DeviceSet& devices, std::string owner,
                               int64_t limit_bytes)
    : account_(std::make_shared<MemoryAccount>(std::move(owner), limit_bytes)) {
  for (const std::unique_ptr<Device>& device : devices.devices()) {
    const bool is_gpu = device->gpu_stream() != nullptr;
    devices_.push_back(std::make_unique<SessionDevice>(
        *device,
        is_gpu ? std::make_shared<MemoryAccount>(account_->owner(), limit_bytes)
               : account_,
        account_));
  }
}

Device* SessionDevices::Find(absl::string_view name) const {
  for (const std::unique_ptr<Device>& device : devices_) {
    if (device->name() == name) return device.get();
  }
  return nullptr;
}

}  // namespace leat
