// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AccountedDevice is another device whose memory is charged to an account. See
// SessionDevices and StepAllocations.
#ifndef LEAT_RUNTIME_ACCOUNTED_DEVICE_H_
#define LEAT_RUNTIME_ACCOUNTED_DEVICE_H_

#include <memory>

#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/devices/device.h"

namespace leat {

// Thread-safe. Buffers may outlive the AccountedDevice.
class AccountedDevice final : public Device {
 public:
  // `device` is borrowed and must outlive this object and all buffers.
  AccountedDevice(Device& device, const std::shared_ptr<MemoryAccount>& account)
      : Device(device.info()),
        device_(device),
        allocator_(device.allocator(), account),
        host_allocator_(device.host_allocator(), account) {}

  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return host_allocator_; }
  WorkQueue& compute_queue() override { return device_.compute_queue(); }
  FileService* files() override { return device_.files(); }

 private:
  Device& device_;
  AccountedAllocator allocator_;
  AccountedAllocator host_allocator_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_ACCOUNTED_DEVICE_H_
