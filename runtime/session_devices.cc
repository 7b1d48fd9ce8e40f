// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/session_devices.h"

#include <utility>

#include "leat/core/devices/accounted_device.h"

namespace leat {
SessionDevices::SessionDevices(DeviceSet& devices, std::string owner,
                               int64_t limit_bytes)
    : account_(std::make_shared<MemoryAccount>(std::move(owner), limit_bytes)) {
  for (const std::unique_ptr<Device>& device : devices.devices()) {
    const bool is_gpu = device->gpu_stream() != nullptr;
    devices_.push_back(std::make_unique<AccountedDevice>(
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
