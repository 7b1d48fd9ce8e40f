// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostSideDevice is the device that a CPU kernel sees when it runs for a node
// on a GPU. All tensors of such a node are in memory of the host, for example
// in arithmetic on shapes.
#ifndef LEAT_CORE_DEVICES_HOST_SIDE_DEVICE_H_
#define LEAT_CORE_DEVICES_HOST_SIDE_DEVICE_H_

#include "leat/core/devices/device.h"

namespace leat {

// Has the name, the queue and the files of another device, but only memory of
// the host. Thread-safe. The GPU that owns this object must outlive it.
class HostSideDevice final : public Device {
 public:
  // Borrows `gpu`.
  explicit HostSideDevice(Device& gpu) : Device(gpu.info()), gpu_(gpu) {}

  Allocator& allocator() override { return gpu_.host_allocator(); }
  Allocator& host_allocator() override { return gpu_.host_allocator(); }
  WorkQueue& compute_queue() override { return gpu_.compute_queue(); }
  FileService* files() override { return gpu_.files(); }

 private:
  Device& gpu_;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_HOST_SIDE_DEVICE_H_
