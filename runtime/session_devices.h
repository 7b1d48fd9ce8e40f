// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionDevices: the devices of this process as one session has them: the same
// threads and memory, of which it may take so much. What others keep of it,
// such as shared variables, stays charged to it. Immutable, thread-safe.
#ifndef LEAT_RUNTIME_SESSION_DEVICES_H_
#define LEAT_RUNTIME_SESSION_DEVICES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/accounted_allocator.h"
#include "leat/core/device.h"
#include "leat/runtime/device_set.h"

namespace leat {

class SessionDevices {
 public:
  // `devices` is borrowed and outlives this and all memory taken from it.
  // `owner`: for messages, "session 1a2b3c4d".
  SessionDevices(DeviceSet& devices, std::string owner, int64_t limit_bytes);
  SessionDevices(const SessionDevices&) = delete;
  SessionDevices& operator=(const SessionDevices&) = delete;

  // As DeviceSet::Find. Valid as long as this.
  Device* Find(absl::string_view name) const;
  const std::vector<std::unique_ptr<Device>>& devices() const {
    return devices_;
  }

  int64_t live_bytes() const { return account_->live_bytes(); }

 private:
  const std::shared_ptr<MemoryAccount> account_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_DEVICES_H_
