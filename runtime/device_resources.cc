// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/device_resources.h"

#include "leat/core/check.h"
#include "leat/core/devices/device_name.h"

namespace leat {
namespace {

// Returns the name of the device's default container: the job in the device's
// name, or kDefaultContainer if that name has no job.
std::string JobOf(const Device& device) {
  const auto name = DeviceName::Parse(device.name());
  return name.ok() ? name->job.value_or(kDefaultContainer) : kDefaultContainer;
}

}  // namespace

DeviceResources::DeviceResources(
    absl::Span<const std::unique_ptr<Device>> devices,
    const ResourceLimits& limits)
    : limits_(limits) {
  entries_.reserve(devices.size());
  for (const auto& device : devices) {
    entries_.push_back(
        {.device = device.get(),
         .store = std::make_unique<ResourceStore>(JobOf(*device), limits)});
  }
}

ResourceStore& DeviceResources::Of(const Device& device) {
  for (const Entry& entry : entries_) {
    if (entry.device == &device) return *entry.store;
  }
  LEAT_CHECK(false);
}

void DeviceResources::ClearContainers(absl::Span<const std::string> names) {
  for (const Entry& entry : entries_) {
    if (names.empty()) entry.store->ClearContainer("");
    for (const std::string& name : names) entry.store->ClearContainer(name);
  }
}

void DeviceResources::Clear() {
  for (const Entry& entry : entries_) entry.store->Clear();
}

}  // namespace leat
