// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TaskOfDevice: finds the task in the full name of a device. Stateless,
// thread-safe.
#ifndef LEAT_DISTRIBUTED_CLUSTER_DEVICE_TASK_H_
#define LEAT_DISTRIBUTED_CLUSTER_DEVICE_TASK_H_

#include "absl/strings/string_view.h"

namespace leat {

// Returns "/job:ps/replica:0/task:0" for
// "/job:ps/replica:0/task:0/device:CPU:0", or "" for a text that is no such
// name. The result points into `device`. Device names in rendezvous keys are
// not parsed for this, because a step has one for every tensor.
inline absl::string_view TaskOfDevice(absl::string_view device) {
  const size_t end = device.rfind("/device:");
  return end == absl::string_view::npos ? absl::string_view()
                                        : device.substr(0, end);
}

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_DEVICE_TASK_H_
