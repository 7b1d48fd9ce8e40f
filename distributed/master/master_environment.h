// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterEnvironment: what a master and its sessions work with.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_ENVIRONMENT_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_ENVIRONMENT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/distributed/limits.h"

namespace leat {

class DeviceSet;
class EndNotices;
class KernelRegistry;
class OpRegistry;
class PassRegistry;
class PlanObserver;
class PolicyRegistry;
class TaskCaller;
class TimerQueue;
class WorkQueue;

// A value. What the raw pointers point to is borrowed and must outlive the
// master and its sessions. Null is allowed only where stated.
struct MasterEnvironment {
  std::string task = {};  // "/job:worker/replica:0/task:0"
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;  // of constants that are folded
  // What graphs are placed and optimized with.
  const PolicyRegistry* policies = nullptr;
  const PassRegistry* passes = nullptr;
  TaskCaller* tasks = nullptr;
  std::vector<std::string> cluster = {};  // names of its tasks
  TimerQueue* timers = nullptr;
  // Runs what takes long: import, planning and decoding.
  WorkQueue* blocking = nullptr;
  ServerLimits limits = {};
  PlanObserver* plan_observer = nullptr;  // may be null
  // Gets messages for people, on any thread: while a session is being created,
  // which tasks it waits for. May be null.
  std::function<void(absl::string_view message)> log = {};
  std::chrono::nanoseconds log_interval = std::chrono::seconds(10);
  // Tells tasks about what is over. If it is null, each step tells the tasks
  // about its end itself, and the deletion of a session is not repeated.
  std::shared_ptr<EndNotices> notices = {};
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_ENVIRONMENT_H_
