// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CpuDevice is the device "/device:CPU:<i>" of this process. The CPU devices of
// a process may share one pool of threads, but each has its own memory. A
// process with several CPU devices places and cuts a graph as it would for
// several GPUs.
#ifndef LEAT_RUNTIME_CPU_DEVICE_H_
#define LEAT_RUNTIME_CPU_DEVICE_H_

#include <memory>
#include <utility>

#include "leat/core/devices/device.h"
#include "leat/runtime/pool_allocator.h"

namespace leat {

// Is thread-safe. DeviceSet makes and owns the devices of a process.
class CpuDevice final : public Device {
 public:
  // Kernels run on `queue` and may use `files`, if it is not null. Both are
  // borrowed and must outlive the device. `memory` says how many bytes the
  // device may allocate.
  CpuDevice(DeviceInfo info, WorkQueue& queue, PoolAllocatorOptions memory = {},
            FileService* files = nullptr)
      : Device(std::move(info)),
        queue_(queue),
        files_(files),
        allocator_(std::move(memory)) {}

  // `allocator` and `host_allocator` return the same allocator, because the
  // host can read all memory of a CPU. Buffers may outlive the device.
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  // Returns the allocator of pinned memory, or null if there are no GPUs.
  Allocator* pinned_allocator() override { return pinned_.get(); }
  // Must be called before another thread has this object.
  void set_pinned_allocator(std::unique_ptr<Allocator> pinned) {
    pinned_ = std::move(pinned);
  }
  // Returns the queue that the constructor was given.
  WorkQueue& compute_queue() override { return queue_; }
  FileService* files() override { return files_; }

 private:
  // The device borrows the queue and the files, and owns the allocators.
  WorkQueue& queue_;
  FileService* const files_;
  PoolAllocator allocator_;
  std::unique_ptr<Allocator> pinned_;  // null without GPUs
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CPU_DEVICE_H_
