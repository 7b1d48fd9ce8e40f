// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Conversion of device descriptions from and to the messages in which tasks
// describe their devices to each other and to clients. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_CLUSTER_DEVICE_ATTRIBUTES_H_
#define LEAT_DISTRIBUTED_CLUSTER_DEVICE_ATTRIBUTES_H_

#include "absl/status/statusor.h"
#include "leat/core/devices/device.h"

namespace leat::pb {
class DeviceAttributes;
}  // namespace leat::pb

namespace leat {

// Fills the fields of `attributes` from `device`.
void ExportDevice(const DeviceInfo& device, pb::DeviceAttributes& attributes);

// Reads a device that another task described. Returns INVALID_ARGUMENT, naming
// the device, for a name that is not full, a type other than that in the name,
// and incarnation 0.
absl::StatusOr<DeviceInfo> ImportDevice(const pb::DeviceAttributes& attributes);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_DEVICE_ATTRIBUTES_H_
