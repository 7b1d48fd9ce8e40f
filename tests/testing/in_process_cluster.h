// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InProcessCluster: several servers in this process, which reach each other by
// an in-process network, and sessions on them.
#ifndef LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_
#define LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/distributed/in_process.h"
#include "leat/distributed/remote_session.h"
#include "leat/distributed/server.h"
#include "leat/graph/graph.h"

namespace leat::testing {

class InProcessCluster {
 public:
  // Tasks per job: {{"ps", 1}, {"worker", 2}}.
  explicit InProcessCluster(const std::map<std::string, int>& jobs,
                            ServerLimits limits = {});

  Server& server(const TaskId& task) { return *servers_.at(task.ToString()); }
  void Kill(const TaskId& task) { servers_.erase(task.ToString()); }
  // Also once it was killed: with new devices, nothing in them.
  void Start(const TaskId& task);

  // On the master of that task.
  absl::StatusOr<std::shared_ptr<Session>> NewSession(
      const Graph& graph, const TaskId& task,
      RemoteSessionOptions options = {});

  // Waits until no task has anything of a session or step, a few seconds at
  // most. False when some has: "" else what.
  std::string Leaks();

 private:
  const ServerLimits limits_;
  ClusterSpec spec_;
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>();
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_IN_PROCESS_CLUSTER_H_
