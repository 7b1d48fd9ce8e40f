// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// An AccountedDevice wraps another device and charges the memory that it
// allocates to accounts. See SessionDevices and StepAllocations.
#ifndef LEAT_CORE_DEVICES_ACCOUNTED_DEVICE_H_
#define LEAT_CORE_DEVICES_ACCOUNTED_DEVICE_H_

#include <memory>
#include <optional>

#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/host_side_device.h"

namespace leat {

// Is thread-safe. Buffers may outlive the AccountedDevice.
class AccountedDevice final : public Device {
 public:
  // `own` is the account for the memory of the device, and `host` for memory of
  // the host. `device` is borrowed and must outlive this object and all
  // buffers.
  AccountedDevice(Device& device, const std::shared_ptr<MemoryAccount>& own,
                  const std::shared_ptr<MemoryAccount>& host)
      : Device(device.info()),
        device_(device),
        allocator_(device.allocator(), own),
        host_allocator_(device.host_allocator(), host),
        host_side_(*this) {
    if (Allocator* const pinned = device.pinned_allocator()) {
      pinned_allocator_.emplace(*pinned, host);
    }
  }

  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return host_allocator_; }
  Allocator* pinned_allocator() override {
    return pinned_allocator_ ? &*pinned_allocator_ : nullptr;
  }
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
  std::optional<AccountedAllocator> pinned_allocator_;
  HostSideDevice host_side_;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_ACCOUNTED_DEVICE_H_
