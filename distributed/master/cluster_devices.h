// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GetClusterDevices asks the tasks of a cluster which devices a session may
// use.
#ifndef LEAT_DISTRIBUTED_MASTER_CLUSTER_DEVICES_H_
#define LEAT_DISTRIBUTED_MASTER_CLUSTER_DEVICES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat {

// Holds the devices and tasks of one session. Is a value.
struct ClusterDevices {
  // Holds the devices of all `tasks`, in the order of `tasks`.
  std::vector<DeviceInfo> devices = {};
  // Holds the tasks of the session. The first one is the master's own task.
  std::vector<std::string> tasks = {};
  // Holds the ticket of each task (PeerStatus). The ticket of the master's own
  // task is 0.
  std::vector<int64_t> tickets = {};
  // Holds the tasks among `tasks` that run TensorFlow.
  std::vector<std::string> foreign_tasks = {};
};

// Says which tasks to ask, and for how long.
struct ClusterDevicesRequest {
  // Is the master's task, such as "/job:worker/replica:0/task:0". This task is
  // not asked, because `own_devices` are its devices. It takes part even if the
  // filters exclude it.
  std::string own_task = {};
  std::vector<DeviceInfo> own_devices = {};
  // Holds all tasks of the cluster. They may include `own_task`.
  std::vector<std::string> tasks = {};
  // Only tasks that these filters allow are asked (IsAllowed in
  // session_config.h).
  std::vector<DeviceName> filters = {};
  // Is the time within which the tasks must answer. Within this time, a task
  // that cannot be reached is asked again.
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  // If `cancellation` is cancelled, `done` gets the reason of the cancellation.
  // May be null.
  std::shared_ptr<Cancellation> cancellation = {};
  // Is called every `report_interval` with the tasks that have not answered
  // yet, on the thread of `timers`. The last call may run at the same time as
  // `done`. May be null.
  std::function<void(const std::vector<std::string>& waiting)> on_waiting = {};
  std::chrono::nanoseconds report_interval = std::chrono::seconds(10);
  // Is the pause before a task that cannot be reached is asked again.
  IntervalRange ask_again = ServerIntervals().ask_again;
};

using ClusterDevicesDone =
    absl::AnyInvocable<void(absl::StatusOr<ClusterDevices>) &&>;

// Asks all tasks that the filters allow, at the same time. `done` is called
// exactly once, on any thread. It gets the devices that the filters allow. If a
// task answers with an error, `done` gets the first such error, with the task's
// name. Otherwise, if tasks could not be reached in time, `done` gets
// UNAVAILABLE with the names of these tasks.
//
// `tasks` and `timers` are borrowed and must outlive the call of `done`.
void GetClusterDevices(TaskCaller& tasks, TimerQueue& timers,
                       ClusterDevicesRequest request, ClusterDevicesDone done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_CLUSTER_DEVICES_H_
