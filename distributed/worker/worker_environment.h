// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerEnvironment holds the objects and options that a worker and its steps
// use.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_ENVIRONMENT_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_ENVIRONMENT_H_

#include <string>

#include "leat/distributed/limits.h"
#include "leat/runtime/function_planning.h"

namespace leat {

class ClusterCollectives;
class DeviceSet;
class KernelRegistry;
class OpRegistry;
class Peers;
class StepTable;
class TensorReceiver;
class TimerQueue;
class WorkQueue;

// Is a value. Pointers are borrowed, not null, and must outlive the worker and
// the calls that it serves.
struct WorkerEnvironment {
  std::string task = {};  // "/job:ps/replica:0/task:0"
  // `devices` are the task's devices. The worker imports graphs with `ops` and
  // compiles them with `kernels`.
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  // Holds the task's steps, which the worker begins and ends.
  StepTable* steps = nullptr;
  // Holds the tasks of the cluster. The worker calls Peer::Meet for the tasks
  // from which its graphs receive tensors, and counts its replies as traffic
  // with the calling tasks.
  Peers* peers = nullptr;
  // Receives the tensors of steps from other tasks.
  const TensorReceiver* receiver = nullptr;
  TimerQueue* timers = nullptr;
  // Runs work that takes a long time and may block, such as compiling a graph.
  WorkQueue* blocking = nullptr;
  // Limits what the worker accepts. The error of a refusal names the flag of
  // the limit.
  ServerLimits limits = {};
  // Says how functions are planned that kernels call.
  FunctionPlanning functions = {};
  // Finds the groups of collectives. Null if graphs cannot run collectives.
  ClusterCollectives* collectives = nullptr;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_ENVIRONMENT_H_
