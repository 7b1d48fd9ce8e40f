// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Converts between DeviceInfo and the message in which tasks describe their
// devices to each other and to clients. TaskOfDevice finds the task in the name
// of a device. The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_CLUSTER_DEVICE_ATTRIBUTES_H_
#define LEAT_DISTRIBUTED_CLUSTER_DEVICE_ATTRIBUTES_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"

namespace leat::pb {
class DeviceAttributes;
}  // namespace leat::pb

namespace leat {

// Fills the fields of `attributes` from `device`.
void ExportDevice(const DeviceInfo& device, pb::DeviceAttributes& attributes);

// Reads a device that another task described. Returns INVALID_ARGUMENT, naming
// the device, in three cases: the name is not a full device name, the type
// differs from the type in the name, or the incarnation is 0.
absl::StatusOr<DeviceInfo> ImportDevice(const pb::DeviceAttributes& attributes);

// Returns "/job:ps/replica:0/task:0" for
// "/job:ps/replica:0/task:0/device:CPU:0", or "" for a text without "/device:".
// The result points into `device`. Does not parse the whole name, because a
// step calls this for the rendezvous key of every tensor.
inline absl::string_view TaskOfDevice(absl::string_view device) {
  const size_t end = device.rfind("/device:");
  return end == absl::string_view::npos ? absl::string_view()
                                        : device.substr(0, end);
}

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_DEVICE_ATTRIBUTES_H_
