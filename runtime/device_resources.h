// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceResources holds a ResourceStore for each of several devices. The stores
// hold the variables, queues and other resources that outlive a step. The
// sessions of a process share one DeviceResources. An isolated session has its
// own.
#ifndef LEAT_RUNTIME_DEVICE_RESOURCES_H_
#define LEAT_RUNTIME_DEVICE_RESOURCES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/kernels/resource_store.h"

namespace leat {

// Is thread-safe. Owns the stores, and shares the resources in the stores with
// the kernels that use them.
class DeviceResources {
 public:
  // Makes an empty store for each device. The devices are borrowed and must
  // outlive this object. The default container of a store has the name of its
  // device's job. If the device's name has no job, the default container is
  // kDefaultContainer. `limits` applies to each resource separately.
  explicit DeviceResources(absl::Span<const std::unique_ptr<Device>> devices,
                           const ResourceLimits& limits = {});
  DeviceResources(const DeviceResources&) = delete;
  DeviceResources& operator=(const DeviceResources&) = delete;

  // Returns the store of `device`. REQUIRES: `device` is one of the objects
  // that the constructor was given, and not another object of the same name.
  ResourceStore& Of(const Device& device);

  // Returns the limits that the constructor was given.
  const ResourceLimits& limits() const { return limits_; }

  // Removes everything in the containers `names` from the store of every
  // device. The name "" stands for the default container. If `names` is empty,
  // only the default container is cleared. Steps that use a removed resource
  // keep it until they are done with it.
  void ClearContainers(absl::Span<const std::string> names = {});
  // Removes everything from the stores of all devices.
  void Clear();

 private:
  // Holds a device, which is borrowed, and the store of the device.
  struct Entry {
    const Device* device = nullptr;
    std::unique_ptr<ResourceStore> store = {};
  };

  const ResourceLimits limits_;
  std::vector<Entry> entries_;  // never changed
};

}  // namespace leat

#endif  // LEAT_RUNTIME_DEVICE_RESOURCES_H_
