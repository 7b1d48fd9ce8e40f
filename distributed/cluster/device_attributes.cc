// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/cluster/device_attributes.h"

#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/protos/device_attributes.pb.h"

namespace leat {
namespace {

// Is the value that TensorFlow sends for a device that XLA does not know.
constexpr int64_t kNoXlaId = -1;

}  // namespace

void ExportDevice(const DeviceInfo& device, pb::DeviceAttributes& attributes) {
  attributes.set_name(device.name);
  attributes.set_device_type(device.type);
  attributes.set_memory_limit(device.memory_bytes);
  attributes.mutable_locality();
  attributes.set_incarnation(device.incarnation);
  attributes.set_physical_device_desc(device.description);
  attributes.set_xla_global_id(kNoXlaId);
}

absl::StatusOr<DeviceInfo> ImportDevice(
    const pb::DeviceAttributes& attributes) {
  LEAT_ASSIGN_OR_RETURN(const DeviceName name,
                        DeviceName::Parse(attributes.name()));
  if (!name.IsFull()) {
    return absl::InvalidArgumentError(
        absl::StrCat("device ", QuotedText(attributes.name()),
                     " does not have a full name, such as "
                     "/job:ps/replica:0/task:0/device:CPU:0"));
  }
  if (*name.type != attributes.device_type()) {
    return absl::InvalidArgumentError(
        absl::StrCat("device ", attributes.name(), " has type ",
                     QuotedText(attributes.device_type()),
                     ", which is not the type in its name"));
  }
  if (attributes.incarnation() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("device ", attributes.name(),
                     " has incarnation 0, which no device may have"));
  }
  return DeviceInfo{.name = name.ToString(),
                    .type = *name.type,
                    .memory_bytes = attributes.memory_limit(),
                    .incarnation = attributes.incarnation(),
                    .description = attributes.physical_device_desc()};
}

}  // namespace leat
