// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerSession holds the state of one master's session on this task. It has
// the graphs and their stateful kernels. An isolated session also has variables
// and queues. MasterProcess identifies the master.
#ifndef LEAT_DISTRIBUTED_WORKER_WORKER_SESSION_H_
#define LEAT_DISTRIBUTED_WORKER_WORKER_SESSION_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/step_counts.h"
#include "leat/runtime/device_resources.h"
#include "leat/runtime/function_planning.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/session_devices.h"

namespace leat {

class ClusterCollectives;
class DeviceSet;
class KernelRegistry;
class RegisteredGraph;
class SessionCollectives;

// Describes a master's task and the process that runs this task. A task that is
// restarted has another incarnation. A master sends its MasterProcess to the
// workers on which it creates a session. A worker can then find out whether
// that process still exists (master_watch.h). A MasterProcess is a value,
// ordered by task.
struct MasterProcess {
  std::string task = {};    // "/job:worker/replica:0/task:0"; "" if unknown
  int64_t incarnation = 0;  // of the task's first device

  friend auto operator<=>(const MasterProcess&, const MasterProcess&) = default;
};

// Holds the options of a session. Is a value. WorkerSessions sets the limits.
struct WorkerSessionOptions {
  std::string handle = {};
  MasterProcess master = {};  // the master that made the session
  // Is the ticket with which the master made the session. It is larger than the
  // tickets of earlier processes of the master's task. 0 means that the ticket
  // is not known.
  int64_t ticket = 0;
  // If true, the session has variables and queues of its own.
  bool isolated = false;
  size_t max_graphs = 0;
  // Limits the memory, in bytes, that the session's steps may hold at the same
  // time. INT64_MAX means that the session has no limit of its own.
  int64_t max_bytes = INT64_MAX;
  // Says how functions are planned that kernels call. WorkerSessions sets it.
  FunctionPlanning functions = {};
};

// Is thread-safe. Running steps share its ownership.
class WorkerSession {
 public:
  // `devices`, `kernels` and `clock` are borrowed and must outlive this and its
  // graphs.
  WorkerSession(WorkerSessionOptions options, DeviceSet& devices,
                const KernelRegistry& kernels, Clock& clock);
  // Removes the resources of an isolated session.
  ~WorkerSession();
  WorkerSession(const WorkerSession&) = delete;
  WorkerSession& operator=(const WorkerSession&) = delete;

  // These functions return the options with which the session was made.
  const std::string& handle() const { return options_.handle; }
  const MasterProcess& master() const { return options_.master; }
  int64_t ticket() const { return options_.ticket; }
  bool isolated() const { return options_.isolated; }
  // Compiles and runs the session's graphs.
  GraphRunner& runner() { return runner_; }
  // Returns the session's own view of the devices, or null if the memory of the
  // session is not limited.
  const std::shared_ptr<const SessionDevices>& devices() const {
    return session_devices_;
  }
  // Allocates the host memory of feeds.
  Allocator& host_allocator() const;
  // Returns what resolves the session's collectives, whose groups form at
  // `leader`. The first call makes it.
  std::shared_ptr<SessionCollectives> Collectives(ClusterCollectives& cluster,
                                                  const std::string& leader);
  // Counts the session's steps on this task.
  StepCounts& steps() { return steps_; }

  // Adds a graph of this session's runner and returns a new handle, which is
  // random. Returns RESOURCE_EXHAUSTED if the session has `max_graphs` graphs,
  // and ABORTED if the session is closed.
  absl::StatusOr<std::string> Add(std::shared_ptr<const RegisteredGraph> graph);
  // Returns the error that Add would return now. Callers check this before they
  // compile a graph, because compiling takes a long time.
  absl::Status CheckRoom() const;
  // Returns the graph with that handle, or null if there is none.
  std::shared_ptr<const RegisteredGraph> Find(absl::string_view handle) const;
  // Removes a graph and returns it, or null if there is none. Steps that run
  // the graph keep it alive.
  std::shared_ptr<const RegisteredGraph> Remove(absl::string_view handle);
  size_t num_graphs() const;

  // Forgets all graphs and accepts no more. Is idempotent. Running steps keep
  // their graphs and go on until StepTable::EndOf ends them.
  void Close();
  // Returns ABORTED if the session is closed.
  absl::Status CheckOpen() const;

 private:
  // Implements CheckRoom.
  absl::Status CheckRoomLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const WorkerSessionOptions options_;
  // Holds the variables and queues of an isolated session.
  const std::shared_ptr<DeviceResources> own_resources_;  // null if shared
  const std::shared_ptr<const SessionDevices> session_devices_;
  // Is the task's first device, as the session sees it. The host allocator of
  // this device allocates the feeds.
  Device& first_device_;
  GraphRunner runner_;
  StepCounts steps_;

  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK until Close
  // Is null before it is used, and after Close.
  std::shared_ptr<SessionCollectives> collectives_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::shared_ptr<const RegisteredGraph>>
      graphs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_WORKER_SESSION_H_
