// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ServedCluster: tasks of a cluster as processes (`leat serve`) on free ports
// of this machine, for tests that kill, stop and restart them. Used by one
// thread.
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
#include "leat/distributed/cluster.h"
#include "leat/distributed/transport.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/testing/processes.h"
#include "leat/tools/launch_jobs.h"

namespace leat::testing {

// How often a test tries a fault: `few` times, up to five times where the
// variable LEAT_TEST_SEEDS asks for more.
int NumSeeds(int few = 2);

// No step runs, no tensor is waited for, no call of a peer is without its
// reply. What steps have made that have succeeded may still be there.
bool IsQuiet(const pb::TaskStatusResponse& status);

// Nobody has a session either, and nothing of any step is left.
bool IsIdle(const pb::TaskStatusResponse& status);

// Whether it becomes true in time.
bool Becomes(absl::FunctionRef<bool()> condition, absl::Duration timeout);

class ServedCluster {
 public:
  // "worker=2,ps=1", with these flags of `leat serve` for each; all serve.
  explicit ServedCluster(const std::string& jobs,
                         std::vector<std::string> flags = {});

  // Serves again, at its address.
  void Start(const TaskId& task);
  // As a crash; returns when the process is gone.
  void Kill(const TaskId& task);
  // REQUIRES: it has been started.
  Process& process(const TaskId& task) { return *processes_.at(Key(task)); }

  // What the task says of itself (`leat status`).
  pb::TaskStatusResponse Status(const TaskId& task);
  // The task is quiet in time.
  void ExpectQuiet(const TaskId& task);
  // All tasks are idle in time. REQUIRES: all serve.
  void ExpectIdle();

  // All tasks end as they should when they are told to.
  void End();

  std::string Address(const TaskId& task) const;
  // What its process gets as TF_CONFIG; of an evaluator too.
  std::string TfConfig(const TaskId& task) const {
    return cluster_->TfConfig(task);
  }
  std::string Target(const TaskId& task) const;

 private:
  using TaskKey = std::pair<std::string, int>;
  static TaskKey Key(const TaskId& task) { return {task.job, task.index}; }
  absl::StatusOr<pb::TaskStatusResponse> TryStatus(const TaskId& task);
  void ExpectBecomes(const TaskId& task,
                     bool (*condition)(const pb::TaskStatusResponse&));

  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  const std::vector<std::string> flags_;
  std::unique_ptr<LocalCluster> cluster_;
  std::map<TaskKey, std::unique_ptr<Process>> processes_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_SERVED_CLUSTER_H_
