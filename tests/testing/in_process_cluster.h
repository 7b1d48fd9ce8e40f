// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InProcessCluster: several servers in this process, which reach each other by
// an in-process network, and sessions on them. Not thread-safe.
#ifndef LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_
#define LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/distributed/in_process.h"
#include "leat/distributed/in_process_faults.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/distributed/remote_session.h"
#include "leat/distributed/server.h"
#include "leat/graph/graph.h"

namespace leat::testing {

class InProcessCluster {
 public:
  // Tasks per job: {{"ps", 1}, {"worker", 2}}. `faults`, unless null, decide
  // what happens to messages, of sessions too.
  explicit InProcessCluster(const std::map<std::string, int>& jobs,
                            ServerLimits limits = {},
                            std::shared_ptr<InProcessFaults> faults = nullptr,
                            const ChunkOptions& chunks = {});

  Server& server(const TaskId& task) { return *servers_.at(task.ToString()); }
  void Kill(const TaskId& task) { servers_.erase(task.ToString()); }
  // Also once it was killed: with new devices, nothing in them.
  void Start(const TaskId& task);
  void Restart(const TaskId& task) {
    Kill(task);
    Start(task);
  }

  const ClusterSpec& spec() const { return spec_; }
  // "localhost:1001".
  std::string Address(const TaskId& task) const;
  // "in-process://localhost:1001", of sessions on this network.
  std::string Target(const TaskId& task) const;
  const std::shared_ptr<InProcessNetwork>& network() const { return network_; }

  // On the master of that task.
  absl::StatusOr<std::shared_ptr<Session>> NewSession(
      const Graph& graph, const TaskId& task,
      RemoteSessionOptions options = {});

  // Waits until no task has anything of a session or step, half a minute at
  // most: "", or what some task still has.
  std::string Leaks();

 private:
  const ServerLimits limits_;
  const ChunkOptions chunks_;
  ClusterSpec spec_;
  const std::shared_ptr<InProcessNetwork> network_;
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_
