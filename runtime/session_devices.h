// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionDevices holds the devices of this process as one session sees them.
// They use the same threads and the same memory as the devices of the
// DeviceSet. However, the session may allocate only a limited number of bytes
// of host memory on all devices together, and of memory on each GPU. Memory
// that outlives the session's steps, such as the memory of shared variables,
// stays charged to the session.
#ifndef LEAT_RUNTIME_SESSION_DEVICES_H_
#define LEAT_RUNTIME_SESSION_DEVICES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/devices/device.h"
#include "leat/runtime/device_set.h"

namespace leat {

// A SessionDevices is immutable and thread-safe. It owns a device object for
// each device of the set.
class SessionDevices {
 public:
  // `devices` is borrowed. It must outlive the SessionDevices and all memory
  // that was allocated through the SessionDevices. `owner` names the session in
  // messages, as in "session 1a2b3c4d". `limit_bytes` is the maximum that all
  // devices together may hold for the session in memory of the host, and also
  // the maximum that each GPU may hold.
  SessionDevices(DeviceSet& devices, std::string owner, int64_t limit_bytes);
  SessionDevices(const SessionDevices&) = delete;
  SessionDevices& operator=(const SessionDevices&) = delete;

  // Returns the device with the full name `name`, or null if there is none. The
  // SessionDevices owns the device.
  Device* Find(absl::string_view name) const;
  // Returns the devices in the order of DeviceSet::devices(). The
  // SessionDevices owns them.
  const std::vector<std::unique_ptr<Device>>& devices() const {
    return devices_;
  }

  // Returns the number of bytes of the host's memory that the session holds
  // now.
  int64_t live_bytes() const { return account_->live_bytes(); }

 private:
  const std::shared_ptr<MemoryAccount> account_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_DEVICES_H_
