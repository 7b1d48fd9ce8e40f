// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceInfo: what planning knows of a device, here or on another task.
// Device: one of this process's devices, on which kernels run.
#ifndef LEAT_CORE_DEVICE_H_
#define LEAT_CORE_DEVICE_H_

#include <cstdint>
#include <string>

#include "leat/core/buffer.h"
#include "leat/core/work_queue.h"

namespace leat {

// A kind of device, as kernels are registered for.
using DeviceType = std::string;  // "CPU", "GPU"
inline constexpr char kCpu[] = "CPU";
inline constexpr char kGpu[] = "GPU";

// TensorFlow's DeviceAttributes.
struct DeviceInfo {
  std::string name = {};  // full
  DeviceType type = {};
  int64_t memory_bytes = 0;      // limit; of TensorFlow's CPUs a nominal one
  uint64_t incarnation = 0;      // random, never 0, new with every process
  std::string description = {};  // physical device, for people
};

// Thread-safe; outlives every step.
class Device {
 public:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  const std::string& name() const { return info_.name; }

  // Where kernels' outputs live, and memory that the host can read. Equal on a
  // CPU.
  virtual Allocator& allocator() = 0;
  virtual Allocator& host_allocator() = 0;

  // Runs kernels. Shared by all CPU devices of the process.
  virtual WorkQueue& compute_queue() = 0;

 private:
  const DeviceInfo info_;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICE_H_
