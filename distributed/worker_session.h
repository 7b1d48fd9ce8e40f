// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// WorkerSession: what a task keeps for one session of a master: its graphs,
// their stateful kernels, and, of an isolated one, its variables and queues.
// Thread-safe.
#ifndef LEAT_DISTRIBUTED_WORKER_SESSION_H_
#define LEAT_DISTRIBUTED_WORKER_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/distributed/master_process.h"
#include "leat/distributed/registered_graph.h"
#include "leat/distributed/step_counts.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_resources.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/session_devices.h"

namespace leat {

struct WorkerSessionOptions {
  std::string handle = {};
  MasterProcess master = {};  // that made it
  // Larger than what processes of that task have had before; 0: not known.
  int64_t ticket = 0;
  bool isolated = false;
  size_t max_graphs = 0;
  // That its steps may hold at a time; INT64_MAX: as much as there is.
  int64_t max_bytes = INT64_MAX;
};

class WorkerSession {
 public:
  // The registries and devices are borrowed and outlive this and its graphs.
  WorkerSession(WorkerSessionOptions options, DeviceSet& devices,
                const KernelRegistry& kernels);
  WorkerSession(const WorkerSession&) = delete;
  WorkerSession& operator=(const WorkerSession&) = delete;

  const std::string& handle() const { return options_.handle; }
  const MasterProcess& master() const { return options_.master; }
  int64_t ticket() const { return options_.ticket; }
  bool isolated() const { return options_.isolated; }
  GraphRunner& runner() { return runner_; }
  // Null unless its memory is limited.
  const std::shared_ptr<const SessionDevices>& devices() const {
    return session_devices_;
  }
  // For what is fed to its steps.
  Allocator& host_allocator() const;
  // Of this task.
  StepCounts& steps() { return steps_; }

  // Keeps a graph of this runner, under a new handle that nobody can guess.
  // RESOURCE_EXHAUSTED above the limit, ABORTED when the session is closed.
  absl::StatusOr<std::string> Add(std::shared_ptr<const RegisteredGraph> graph);
  // Fails as Add would now.
  absl::Status CheckRoom() const;
  // Null when there is none.
  std::shared_ptr<const RegisteredGraph> Find(absl::string_view handle) const;
  // The graph, which is forgotten, or null. Steps that run it keep it.
  std::shared_ptr<const RegisteredGraph> Remove(absl::string_view handle);
  size_t num_graphs() const;

  // Forgets all graphs, and that for ever.
  void Close();
  bool is_closed() const;

 private:
  absl::Status CheckRoomLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const WorkerSessionOptions options_;
  const std::unique_ptr<DeviceResources> own_resources_;  // null: shared
  const std::shared_ptr<const SessionDevices> session_devices_;
  Device& first_device_;
  GraphRunner runner_;
  StepCounts steps_;

  mutable Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, std::shared_ptr<const RegisteredGraph>>
      graphs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_SESSION_H_
