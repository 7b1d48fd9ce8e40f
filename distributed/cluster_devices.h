// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// GetClusterDevices: what devices a session may use, asked of their tasks.
#ifndef LEAT_DISTRIBUTED_CLUSTER_DEVICES_H_
#define LEAT_DISTRIBUTED_CLUSTER_DEVICES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/device.h"
#include "leat/core/device_name.h"
#include "leat/core/timer_queue.h"
#include "leat/distributed/tasks.h"

namespace leat {

struct ClusterDevices {
  // The master's own first, then in the order of their tasks.
  std::vector<DeviceInfo> devices = {};
  // That take part; the master's own first.
  std::vector<std::string> tasks = {};
  // Of each of them (PeerStatus); 0 for the master's own.
  std::vector<int64_t> tickets = {};
  // Those of them that are TensorFlow's.
  std::vector<std::string> foreign_tasks = {};
};

struct ClusterDevicesRequest {
  // "/job:worker/replica:0/task:0", whose devices are known. It takes part
  // whatever the filters say.
  std::string own_task = {};
  std::vector<DeviceInfo> own_devices = {};
  // All of the cluster; the own one may be among them.
  std::vector<std::string> tasks = {};
  std::vector<DeviceName> filters = {};  // session_config.h; empty: no limits
  // A task that cannot be reached is asked again until then.
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  // Ends it with the reason. May be null.
  std::shared_ptr<Cancellation> cancellation = {};
  // Called every `report_interval` with the tasks that have not answered yet,
  // on a thread of the timers; the last time perhaps beside `done`. May be
  // null.
  std::function<void(const std::vector<std::string>& waiting)> on_waiting = {};
  std::chrono::nanoseconds report_interval = std::chrono::seconds(10);
};

using ClusterDevicesDone =
    absl::AnyInvocable<void(absl::StatusOr<ClusterDevices>) &&>;

// Asks all tasks that the filters allow, at once. `done` exactly once, on any
// thread: UNAVAILABLE naming all tasks that could not be reached in time; else
// the first error of a task, which is named; INVALID_ARGUMENT for one that has
// devices of another task: its address is wrong. Both are borrowed and outlive
// the call of `done`.
void GetClusterDevices(Tasks& tasks, TimerQueue& timers,
                       ClusterDevicesRequest request, ClusterDevicesDone done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_DEVICES_H_
