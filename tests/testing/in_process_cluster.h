// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InProcessCluster runs several servers in this process and makes sessions on
// them. The servers reach each other over an in-process network.
//
//   InProcessCluster cluster({{"ps", 1}, {"worker", 2}});
//   auto session = cluster.NewSession(graph, {.job = "worker", .index = 0});
//   ...
//   EXPECT_EQ(cluster.Leaks(), "");
#ifndef LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_
#define LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/device_set.h"
#include "leat/tests/testing/call_faults.h"
#include "leat/tests/testing/in_process_network.h"

namespace leat::testing {

// Is not thread-safe. Owns the servers, which use TestClock(). Every task has
// an address at all times, whether its server runs or not.
class InProcessCluster {
 public:
  // Starts all tasks. `jobs` maps the name of each job to its number of tasks.
  // If `faults` is not null, it decides what happens to each call, calls by
  // sessions included.
  explicit InProcessCluster(const std::map<std::string, int>& jobs,
                            ServerLimits limits = {},
                            std::shared_ptr<CallFaults> faults = nullptr,
                            const ChunkOptions& chunks = {});

  // REQUIRES: the task runs.
  Server& server(const TaskId& task) { return *servers_.at(task.ToString()); }
  // Destroys the server of a task and all that it holds.
  void Kill(const TaskId& task) { servers_.erase(task.ToString()); }
  // Starts a task that was killed. It gets new devices, which hold nothing.
  // Fails the test if the server does not start.
  void Start(const TaskId& task, DeviceSetOptions devices = {.num_threads = 2});
  void Restart(const TaskId& task) {
    Kill(task);
    Start(task);
  }

  const ClusterSpec& spec() const { return spec_; }
  // Returns the address of the task, such as "localhost:1001".
  std::string Address(const TaskId& task) const;
  // Returns the target for sessions, such as "in-process://localhost:1001". It
  // is valid on this cluster's network only.
  std::string Target(const TaskId& task) const;
  // Returns the registry with the transport "in-process", which reaches the
  // tasks.
  const TransportRegistry& transports() const { return transports_; }

  // Makes a session on the master of `task`. Sets `options.transports`.
  absl::StatusOr<std::shared_ptr<Session>> NewSession(
      const Graph& graph, const TaskId& task,
      RemoteSessionOptions options = {});

  // Returns what LeaksOf returns for all servers, as one text.
  std::string Leaks();

 private:
  const ServerLimits limits_;
  const ChunkOptions chunks_;
  ClusterSpec spec_;
  TransportRegistry transports_;
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_
