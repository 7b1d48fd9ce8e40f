// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceInfo holds what planning must know about a device of this task or of
// another one. Device is a device of this process, on which kernels run.
#ifndef LEAT_CORE_DEVICES_DEVICE_H_
#define LEAT_CORE_DEVICES_DEVICE_H_

#include <cstdint>
#include <string>

#include "leat/core/buffer.h"
#include "leat/core/threads/work_queue.h"

namespace leat {

class FileService;
class GpuStream;

// A kind of device. Each kernel is registered for one kind.
using DeviceType = std::string;  // "CPU", "GPU"
inline constexpr char kCpu[] = "CPU";
inline constexpr char kGpu[] = "GPU";

// A description of a device, with the fields of TensorFlow's DeviceAttributes.
// A plain value.
struct DeviceInfo {
  // The full name, such as "/job:worker/replica:0/task:0/device:CPU:0".
  std::string name = {};
  DeviceType type = {};
  // The limit of the device's memory, in bytes. A task of TensorFlow reports a
  // number for its CPU that is not a real limit.
  int64_t memory_bytes = 0;
  // A random number, never 0, that the process draws when it starts. Rendezvous
  // keys contain this number. So a step never takes a tensor from a process
  // that was restarted after the step was planned.
  uint64_t incarnation = 0;
  // A description of the physical device, for people to read.
  std::string description = {};
};

// A device of this process. It owns the memory and the threads that kernels
// use, or borrows them. Thread-safe. It must outlive every step that runs on
// it.
class Device {
 public:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  const std::string& name() const { return info_.name; }

  // Returns the allocator for the outputs of kernels.
  virtual Allocator& allocator() = 0;
  // Returns the allocator for memory that the host can read. On a CPU it is the
  // same as allocator().
  virtual Allocator& host_allocator() = 0;

  // Returns the allocator for tensors of the host that only GPUs of this
  // process will read. Its memory is limited: when none is left, the caller
  // takes memory from allocator() instead. Returns null if there are no GPUs.
  virtual Allocator* pinned_allocator() { return nullptr; }

  // Returns the queue that runs kernels. All CPU devices of a process share it.
  // A GPU has a queue of its own.
  virtual WorkQueue& compute_queue() = 0;

  // Returns the stream to which kernels add the work for a GPU, or null if this
  // is not a GPU. The device owns the stream.
  virtual GpuStream* gpu_stream() { return nullptr; }

  // Returns the device on which CPU kernels run for nodes of this device. A CPU
  // kernel runs for a node of a GPU if all tensors of the node are in host
  // memory. A GPU returns its HostSideDevice (host_side_device.h). All other
  // devices return themselves. This device owns the result.
  virtual Device& host_side() { return *this; }

  // Returns the files that kernels may use, or null if they may use none.
  virtual FileService* files() { return nullptr; }

 private:
  const DeviceInfo info_;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_DEVICE_H_
