// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceSet: the devices of this process, the threads they share, and what
// their variables live in, of the sessions that share it. Immutable after
// construction; thread-safe.
#ifndef LEAT_RUNTIME_DEVICE_SET_H_
#define LEAT_RUNTIME_DEVICE_SET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/device.h"
#include "leat/runtime/device_resources.h"

namespace leat {

struct DeviceSetOptions {
  // Prefix of all device names.
  std::string task = "/job:localhost/replica:0/task:0";
  int num_cpus = 1;     // CPU devices
  int num_threads = 0;  // of the compute pool; 0: one a processor we may use
  // Limit of each CPU device; 0: its equal share of nine tenths of what this
  // process may take (host_memory.h), the rest being the process's own.
  int64_t cpu_memory_bytes = 0;
  ResourceLimits resource_limits = {};
};

class DeviceSet {
 public:
  // INVALID_ARGUMENT for counts out of range or a malformed task name.
  static absl::StatusOr<std::unique_ptr<DeviceSet>> Create(
      const DeviceSetOptions& options = {});
  ~DeviceSet();

  const std::vector<std::unique_ptr<Device>>& devices() const {
    return devices_;
  }
  // Null when there is none of that full name.
  Device* Find(absl::string_view name) const;
  std::vector<DeviceInfo> Infos() const;

  // What sessions of this process share. An isolated one has its own.
  DeviceResources& resources() { return *resources_; }

  WorkQueue& compute_queue() { return *queue_; }

 private:
  DeviceSet() = default;

  std::unique_ptr<WorkQueue> queue_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<DeviceResources> resources_;
};

// "cpu", "cpu:2": what a --devices flag says. INVALID_ARGUMENT quoting it.
absl::StatusOr<DeviceSetOptions> ParseDevices(absl::string_view text);

}  // namespace leat

#endif  // LEAT_RUNTIME_DEVICE_SET_H_
