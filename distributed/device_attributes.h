// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Devices as tasks tell each other and clients of them. Stateless.
#ifndef LEAT_DISTRIBUTED_DEVICE_ATTRIBUTES_H_
#define LEAT_DISTRIBUTED_DEVICE_ATTRIBUTES_H_

#include "absl/status/statusor.h"
#include "leat/core/device.h"

namespace leat::pb {
class DeviceAttributes;
}  // namespace leat::pb

namespace leat {

void ExportDevice(const DeviceInfo& device, pb::DeviceAttributes& attributes);

// INVALID_ARGUMENT naming the device for a name that is not full, a type that
// is not that of the name, and incarnation 0.
absl::StatusOr<DeviceInfo> ImportDevice(const pb::DeviceAttributes& attributes);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_DEVICE_ATTRIBUTES_H_
