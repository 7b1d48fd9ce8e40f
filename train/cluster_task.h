// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterTask makes a program of between-graph training a task of a cluster. It
// finds out which task the program is, and runs the server that the task needs.
//
//   LEAT_ASSIGN_OR_RETURN(auto task, ClusterTask::Start());  // TF_CONFIG
//   if (task->serves()) std::exit(task->Serve());  // a parameter server
//   Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
//       {.ps_tasks = task->num_ps(), .worker_device = task->worker_device()}));
//   Output loss = BuildNetwork(b);
//   // A RecoverableSession with task->session_options() then runs the graph.
#ifndef LEAT_TRAIN_CLUSTER_TASK_H_
#define LEAT_TRAIN_CLUSTER_TASK_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/distributed/server/server.h"
#include "leat/train/session.h"

namespace leat {

// These are the names of jobs, as in TensorFlow.
inline constexpr char kPsJob[] = "ps";
inline constexpr char kWorkerJob[] = "worker";
inline constexpr char kChiefJob[] = "chief";

// These are exit codes of a program. A program exits with kWrongClusterExitCode
// if its cluster or task is wrong, and with kLostTaskExitCode if it has lost
// another task (IsRecoverable). `leat launch` and Kubeflow's TFJob restart a
// program that exits with 128 or more. TFJob reserves the code 138 for this
// purpose.
inline constexpr int kWrongClusterExitCode = 3;
inline constexpr int kLostTaskExitCode = 138;

struct ClusterTaskOptions {
  // Holds the flags of the program, if it has any. Settings that are missing
  // here are read from the environment.
  ResolverInput input = {};
  // Holds the options of the server. `config` is ignored, because it follows
  // from `input`. `log` also gets messages that say what Serve waits for when
  // it stops the server.
  ServerOptions server = {};
  // Holds the jobs whose tasks only serve. Add "worker" for in-graph training,
  // where the workers only serve, too.
  std::vector<std::string> serving_jobs = {kPsJob};
  // SIGTERM or SIGINT makes Serve stop the server. Steps that are then running
  // may continue for this time.
  std::chrono::nanoseconds grace = std::chrono::seconds(25);
};

// Is thread-safe. Owns the server of the task.
class ClusterTask {
 public:
  // Resolves the cluster and the task, and starts the server of the task. An
  // evaluator gets no server. Returns the errors of ResolveTask and
  // Server::Start. Also returns INVALID_ARGUMENT for an evaluator in a cluster
  // without parameter servers.
  //
  // If the task serves, Start blocks SIGTERM and SIGINT in the calling thread
  // and in the threads that it makes later, because Serve waits for these
  // signals. Call Start before the program makes any thread.
  static absl::StatusOr<std::unique_ptr<ClusterTask>> Start(
      ClusterTaskOptions options = {});
  // Stops the server at once.
  ~ClusterTask();

  // config returns the configuration of the cluster and the task. task returns
  // the task itself.
  const TaskConfig& config() const;
  const TaskId& task() const;
  // Returns true for the task that initializes the variables and applies
  // gradients. It is the first task of job `chief`, or the first worker if
  // there is no such job.
  bool is_chief() const;
  // Returns true for a task of job `ps`.
  bool is_ps() const;
  // Returns true for a task that only reads the variables and is not in the
  // cluster.
  bool is_evaluator() const;
  bool serves() const;  // its job is one of `serving_jobs`

  // Returns the number of tasks of the job, which is 0 if there is no such job.
  int num_tasks(absl::string_view job) const;
  // Returns the number of parameter servers.
  int num_ps() const;
  // Returns the number of tasks that compute gradients: the workers and the
  // chiefs.
  int num_workers() const;
  // Returns the number of this task among the tasks that compute gradients. The
  // chief has number 0. Tasks that compute no gradients also have number 0. A
  // worker uses its number to pick its share of the data.
  int worker_number() const;
  // Returns a device name such as "/job:worker/task:1", for
  // nn::ReplicaDeviceSetter. It names this task. For an evaluator it names the
  // first parameter server, because an evaluator has no device in the cluster.
  std::string worker_device() const;

  // Returns the target of this task's own master. For an evaluator, it is the
  // target of the first parameter server's master.
  const std::string& target() const;
  // Returns the options of a session on target(). The device filters allow job
  // `ps` and this task only, so other workers cannot disturb the session. Clear
  // `device_filters` for a graph that uses all tasks.
  SessionOptions session_options() const;

  // Returns the server of the task, or null for an evaluator.
  Server* server() const;

  // Serves until SIGTERM or SIGINT arrives. Then stops the server and gives
  // running steps the time `grace` to end. Returns the exit code of the
  // program: 143 or 130, as `leat serve` does. A second signal ends the process
  // at once. REQUIRES: serves().
  int Serve();

 private:
  class Implementation;
  explicit ClusterTask(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_CLUSTER_TASK_H_
