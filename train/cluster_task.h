// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterTask: what a program of between-graph training is in its cluster, with
// the server that makes it a task of it:
//
//   LEAT_ASSIGN_OR_RETURN(auto task, ClusterTask::Start());  // TF_CONFIG
//   if (task->serves()) return task->Serve();  // a parameter server
//   ... build the graph for task->worker_device() ...
//   auto session = RecoverableSession::Create(
//       graph, {.session = task->session_options(),
//               .is_chief = task->is_chief(), ...});
#ifndef LEAT_TRAIN_CLUSTER_TASK_H_
#define LEAT_TRAIN_CLUSTER_TASK_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/resolver.h"
#include "leat/distributed/server.h"
#include "leat/train/session.h"

namespace leat {

inline constexpr char kPsJob[] = "ps";
inline constexpr char kWorkerJob[] = "worker";
inline constexpr char kChiefJob[] = "chief";

// What a program exits with when its cluster or its task is wrong, and when
// another task was lost (IsRecoverable). From 128 on `leat launch` and
// Kubeflow's TFJob start it again; 138 is what TFJob leaves to programs for
// that.
inline constexpr int kWrongClusterExitCode = 3;
inline constexpr int kLostTaskExitCode = 138;

struct ClusterTaskOptions {
  // Flags of the program, where it has some; else its environment says.
  ResolverInput input = {};
  // All but `config`, which the input says.
  ServerOptions server = {};
  // Jobs whose tasks only serve, as do the workers of in-graph training.
  std::vector<std::string> serving_jobs = {kPsJob};
  // That steps which run get when the task is told to end.
  std::chrono::nanoseconds grace = std::chrono::seconds(25);
};

// Thread-safe.
class ClusterTask {
 public:
  // Fails as ResolveTask and Server::Start do. INVALID_ARGUMENT for an
  // evaluator in a cluster without parameter servers. SIGTERM and SIGINT are
  // blocked afterwards, in threads made later too, for a task that serves,
  // whose Serve waits for them: call it before any thread is made.
  static absl::StatusOr<std::unique_ptr<ClusterTask>> Start(
      ClusterTaskOptions options = {});
  // Stops the server at once.
  ~ClusterTask();

  const TaskConfig& config() const;
  const TaskId& task() const;
  // The task that initializes and applies gradients: the first of job `chief`,
  // or the first worker where there is no such job.
  bool is_chief() const;
  bool is_ps() const;
  bool is_evaluator() const;
  bool serves() const;  // of one of `serving_jobs`

  int num_tasks(absl::string_view job) const;
  int num_ps() const;
  // Those that compute gradients: the workers and the chiefs.
  int num_workers() const;
  // Which of them this is, from 0, the chief: a share of the data. 0 for
  // others.
  int worker_number() const;
  // "/job:worker/task:1", for nn::ReplicaDeviceSetter: the task's own device;
  // the first parameter server's for an evaluator, which has none.
  std::string worker_device() const;

  // This task's own master; of an evaluator that of the first parameter server.
  const std::string& target() const;
  // A session there that others' workers cannot disturb: filters for job `ps`
  // and this task. Clear device_filters for one graph over all tasks.
  SessionOptions session_options() const;

  // Null for an evaluator.
  Server* server() const;

  // Serves until SIGTERM or SIGINT, then stops with the grace, and gives what
  // the program exits with: 143 or 130, as `leat serve`. A second signal ends
  // the process at once. REQUIRES: serves().
  int Serve();

 private:
  class Implementation;
  explicit ClusterTask(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_CLUSTER_TASK_H_
