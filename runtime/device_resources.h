// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceResources: what outlives steps on each of some devices, such as their
// variables: shared by all sessions of a process, or one session's own.
// Thread-safe.
#ifndef LEAT_RUNTIME_DEVICE_RESOURCES_H_
#define LEAT_RUNTIME_DEVICE_RESOURCES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/kernels/resource_store.h"

namespace leat {

class DeviceResources {
 public:
  // An empty store for each. The devices are borrowed and outlive this; the
  // default container is a device's job.
  explicit DeviceResources(absl::Span<const std::unique_ptr<Device>> devices,
                           const ResourceLimits& limits = {});
  DeviceResources(const DeviceResources&) = delete;
  DeviceResources& operator=(const DeviceResources&) = delete;

  // REQUIRES: one of the devices.
  ResourceStore& Of(const Device& device);

  const ResourceLimits& limits() const { return limits_; }

  // Forgets what is in these containers on every device; "" is the default one,
  // and so is an empty list. Whoever uses something of it keeps that.
  void ClearContainers(absl::Span<const std::string> names = {});

 private:
  struct Entry {
    const Device* device = nullptr;
    std::unique_ptr<ResourceStore> store = {};
  };

  const ResourceLimits limits_;
  std::vector<Entry> entries_;  // never changed
};

}  // namespace leat

#endif  // LEAT_RUNTIME_DEVICE_RESOURCES_H_
