// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ServedCluster runs the tasks of a cluster as processes (`leat serve`) on free
// ports of this machine, for tests that kill, stop and restart them.
#ifndef LEAT_TESTS_CLUSTER_SERVED_CLUSTER_H_
#define LEAT_TESTS_CLUSTER_SERVED_CLUSTER_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/transport/transport.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/testing/processes.h"
#include "leat/tools/launch_jobs.h"

namespace leat::testing {

// Returns the number of seeds with which a test tries a fault. This is the
// larger of `few` and the environment variable LEAT_TEST_SEEDS, but at most
// five.
int NumSeeds(int few = 2);

// Returns true if the task runs no step, waits for no tensor, and has received
// the replies to all its calls to peers. The task may still hold state of steps
// that have succeeded.
bool IsQuiet(const pb::TaskStatusResponse& status);

// Returns true if IsQuiet is true, the task has no session of a client or a
// master, and it holds no state of any step.
bool IsIdle(const pb::TaskStatusResponse& status);

// Polls `condition` until it is true. Returns false if that takes longer than
// `timeout`.
bool Becomes(absl::FunctionRef<bool()> condition, absl::Duration timeout);

struct ServedClusterOptions {
  std::vector<std::string> flags = {};  // of `leat serve`
  // Is a limit of each process, such as "-n 200" (see ulimit). "" means no
  // limit.
  std::string limit = {};
  // Is true if the tasks do not listen at their addresses in the cluster, but
  // at other addresses. The test must then forward connections from a task's
  // address in the cluster to the address at which the task listens.
  bool is_behind_proxies = false;
  // Is true if each process has a process group of its own. Then the signals of
  // a terminal, such as the signal of Ctrl+C, do not reach the process.
  bool has_own_groups = false;
};

// Owns the processes. The destructor kills the processes that still run. The
// Expect functions and End fail the test if an expectation does not hold. A
// ServedCluster is thread-compatible.
class ServedCluster {
 public:
  // Starts the tasks that `jobs` ("worker=2,ps=1") asks for, each with the
  // flags `flags`, and waits until all of them serve.
  explicit ServedCluster(const std::string& jobs,
                         std::vector<std::string> flags = {})
      : ServedCluster(jobs, ServedClusterOptions{.flags = std::move(flags)}) {}
  ServedCluster(const std::string& jobs, ServedClusterOptions options);

  // Starts the process of `task` at its old address, and waits until it serves.
  void Start(const TaskId& task);
  // Kills the task with SIGKILL, as a crash would, and waits until its process
  // is gone.
  void Kill(const TaskId& task);
  // REQUIRES: the task has been started.
  Process& process(const TaskId& task) { return *processes_.at(Key(task)); }

  // Returns all tasks. Each of them is a process.
  std::vector<TaskId> tasks() const;

  // Returns the status that the task reports (what `leat status` shows). Asks
  // the process directly, even if the cluster is behind proxies.
  pb::TaskStatusResponse Status(const TaskId& task);
  // Returns the status as Status does, but does not fail the test if the call
  // fails.
  absl::StatusOr<pb::TaskStatusResponse> TryStatus(const TaskId& task);
  // Expects that the task becomes quiet within a minute.
  void ExpectQuiet(const TaskId& task);
  // Expects that each task becomes idle within a minute. REQUIRES: all tasks
  // serve.
  void ExpectIdle();

  // Sends SIGTERM to all tasks and expects that each ends with the exit code
  // for that signal.
  void End();

  // Returns "host:port", or "" if the cluster has no such task.
  std::string Address(const TaskId& task) const;
  // Returns the address at which the task listens. This is its address in the
  // cluster, unless the cluster is behind proxies.
  std::string ListeningAddress(const TaskId& task) const;
  // Returns the value of TF_CONFIG that the task's process gets. `task` may be
  // an evaluator.
  std::string TfConfig(const TaskId& task) const {
    return cluster_->TfConfig(task);
  }
  // Returns the target of sessions on this task's master ("grpc://host:port").
  std::string Target(const TaskId& task) const;

 private:
  using TaskKey = std::pair<std::string, int>;
  static TaskKey Key(const TaskId& task) { return {task.job, task.index}; }
  void ExpectBecomes(const TaskId& task,
                     bool (*condition)(const pb::TaskStatusResponse&));

  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  const ServedClusterOptions options_;
  std::unique_ptr<LocalCluster> cluster_;
  // Holds the addresses at which the tasks listen. Is null if these are the
  // addresses in the cluster.
  std::unique_ptr<LocalCluster> listening_;
  std::map<TaskKey, std::unique_ptr<Process>> processes_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_SERVED_CLUSTER_H_
