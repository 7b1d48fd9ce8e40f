// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceList describes the devices of this process for people and for programs.
// It is stateless and thread-safe.
#ifndef LEAT_TOOLS_DEVICE_LIST_H_
#define LEAT_TOOLS_DEVICE_LIST_H_

#include <string>

#include "absl/status/statusor.h"
#include "leat/runtime/device_set.h"

namespace leat {

// Says how the list looks.
struct DeviceListOptions {
  bool json = false;
  bool color = false;
};

// Makes the devices that `devices` describes and returns one line for each: the
// name, the type, the memory that it may take and, of a GPU, what the driver
// says about it. If there is no GPU, a last line says why, or that the machine
// has GPUs that `devices` does not ask for. These are only counted.
//
// As JSON, the list is
//
//   [{"name", "type", "memory_bytes", "description"}]
//
// If it has no GPU although `devices` asks for all of them, `devices.log` gets
// the line that says why. `devices.log` also gets a line about each library for
// GPUs that this machine lacks. Fails as DeviceSet::Create does.
absl::StatusOr<std::string> DeviceList(const DeviceSetOptions& devices,
                                       const DeviceListOptions& options);

}  // namespace leat

#endif  // LEAT_TOOLS_DEVICE_LIST_H_
