// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CpuDevice: "/device:CPU:<i>" of this process. Several may share one pool of
// threads; each has memory of its own.
#ifndef LEAT_RUNTIME_CPU_DEVICE_H_
#define LEAT_RUNTIME_CPU_DEVICE_H_

#include "leat/core/device.h"
#include "leat/runtime/pool_allocator.h"

namespace leat {

class CpuDevice final : public Device {
 public:
  // `queue` is borrowed and outlives the device.
  CpuDevice(DeviceInfo info, WorkQueue& queue, PoolAllocatorOptions memory = {})
      : Device(std::move(info)), queue_(queue), allocator_(std::move(memory)) {}

  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  WorkQueue& compute_queue() override { return queue_; }

 private:
  WorkQueue& queue_;
  PoolAllocator allocator_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CPU_DEVICE_H_
