// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceKind names what the speed of a device depends on. Devices of one kind
// share what was measured on any of them (partitioner/costs/). It is
// thread-safe.
#ifndef LEAT_RUNTIME_DEVICE_KIND_H_
#define LEAT_RUNTIME_DEVICE_KIND_H_

#include <string>

#include "leat/core/devices/device.h"

namespace leat {

// Returns a text such as "CPU Intel Xeon 2.20GHz, 2 threads" or "GPU NVIDIA
// H100". For a CPU, it has the processor that the operating system names, and
// the number of threads of the device's pool. The text is printable ASCII of at
// most kMaxDeviceKind bytes (partitioner/costs/cost_file.h).
std::string DeviceKind(Device& device);

// Returns the name of the processor in the text of /proc/cpuinfo, or "".
std::string ProcessorName(const std::string& cpuinfo);

}  // namespace leat

#endif  // LEAT_RUNTIME_DEVICE_KIND_H_
