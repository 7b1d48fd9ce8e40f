// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterEnvironment holds the objects and options that a master and its
// sessions use.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_ENVIRONMENT_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_ENVIRONMENT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/limits.h"

namespace leat {

class ClusterCollectives;
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

// Is a value. The objects behind raw pointers are borrowed and must outlive the
// master and its sessions. A pointer may be null only if its comment says so.
struct MasterEnvironment {
  std::string task = {};  // "/job:worker/replica:0/task:0"
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;  // for constant folding
  // The `policies` place graphs, and the `passes` optimize graphs.
  const PolicyRegistry* policies = nullptr;
  const PassRegistry* passes = nullptr;
  TaskCaller* tasks = nullptr;
  std::vector<std::string> cluster = {};  // names of the cluster's tasks
  ClusterSpec cluster_spec = {};          // the tasks with their addresses
  TimerQueue* timers = nullptr;
  // Runs work that takes a long time: import, planning and decoding.
  WorkQueue* blocking = nullptr;
  ServerLimits limits = {};
  ServerIntervals intervals = {};
  PlanObserver* plan_observer = nullptr;  // may be null
  // Is called on any thread with messages for people, for example about the
  // tasks that have not answered while a session is being created. May be null.
  std::function<void(absl::string_view message)> log = {};
  // Tells tasks about ended steps and deleted sessions. Is not null.
  std::shared_ptr<EndNotices> notices = {};
  // Knows the ids of steps with collectives. Null if there are none.
  ClusterCollectives* collectives = nullptr;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_ENVIRONMENT_H_
