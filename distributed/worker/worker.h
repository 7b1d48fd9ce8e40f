// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Worker: what a task does for masters and peers (TensorFlow's WorkerService).
// It keeps the sessions and graphs of masters, runs its part of their steps,
// and sends tensors to peers.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/worker/master_process.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_set.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

// What a worker needs. Pointers are borrowed, not null, and must outlive the
// worker and the calls that it serves.
struct WorkerEnvironment {
  std::string task = {};  // "/job:ps/replica:0/task:0"
  // The task's devices, and what its graphs are imported and compiled with.
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  // The task's steps, which the worker begins and ends.
  StepTable* steps = nullptr;
  // The tasks from which its graphs receive. Their traffic counts what the
  // worker answers.
  Peers* peers = nullptr;
  TimerQueue* timers = nullptr;
  // Runs work that takes long and may block, such as compiling a graph.
  WorkQueue* blocking = nullptr;
  // What the worker accepts. Errors name the flag of the limit.
  ServerLimits limits = {};
};

// Thread-safe. Owns the sessions of masters and their graphs. What takes long
// runs on the blocking queue or the compute pool, so handlers return quickly.
class Worker {
 public:
  explicit Worker(WorkerEnvironment environment);
  // REQUIRES: no call of its methods is under way.
  ~Worker();

  // Adds every method of the service. The handlers borrow this.
  void AddMethods(MethodTable& methods);

  // Fails every running step with `why` (not OK).
  void EndSteps(const absl::Status& why);

  // Returns the masters whose sessions on this task have all been idle for
  // `idle`. This task's own master is left out.
  std::vector<MasterProcess> IdleMasters(std::chrono::nanoseconds idle) const;
  // Ends the sessions of `master`, unless one of them was used within `idle`.
  // `why` completes the error of their steps: "is over: ..." for "Session 12ab
  // is over: ...". Takes long.
  void EndIdleSessions(const MasterProcess& master,
                       std::chrono::nanoseconds idle, absl::string_view why);

  // How many objects a worker has now.
  struct Counters {
    // Sessions of masters, and the graphs of all sessions.
    size_t sessions = 0;
    size_t graphs = 0;
    size_t running = 0;  // calls of RunGraph
  };
  Counters counters() const;

  // Adds the worker's sessions and steps to `status`.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  class Implementation;
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_H_
