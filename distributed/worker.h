// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Worker: what a task does for masters and peers, TensorFlow's WorkerService:
// keeps their sessions and graphs, runs its part of their steps, hands tensors
// to peers. Thread-safe.
#ifndef LEAT_DISTRIBUTED_WORKER_H_
#define LEAT_DISTRIBUTED_WORKER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/master_process.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/peers.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/step_table.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_set.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

// All borrowed, outlive the worker and the calls it serves.
struct WorkerEnvironment {
  std::string task = {};  // "/job:ps/replica:0/task:0"
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  StepTable* steps = nullptr;
  // Of which its graphs receive; their traffic counts what is answered.
  Peers* peers = nullptr;
  TimerQueue* timers = nullptr;
  // Runs what takes long and may wait, such as compiling a graph.
  WorkQueue* blocking = nullptr;
  ServerLimits limits = {};
};

class Worker {
 public:
  explicit Worker(WorkerEnvironment environment);
  // REQUIRES: no call of its methods is under way.
  ~Worker();

  // Every method of the service; they borrow this.
  void AddMethods(MethodTable& methods);

  // Fails every running step with `why`.
  void EndSteps(const absl::Status& why);

  // The masters none of whose sessions here was used for so long; without this
  // task's own.
  std::vector<MasterProcess> IdleMasters(std::chrono::nanoseconds idle) const;
  // Ends the sessions of one, unless one was used since: "Session 12ab is over:
  // its master was restarted" for "is over: its ...". Takes long.
  void EndIdleSessions(const MasterProcess& master,
                       std::chrono::nanoseconds idle, absl::string_view why);

  struct Counters {
    size_t sessions = 0;
    size_t graphs = 0;
    size_t running = 0;  // calls of RunGraph
  };
  Counters counters() const;

  // Its sessions and steps.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  class Implementation;
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_H_
