// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParseJobs and LocalCluster decide which tasks `leat launch` starts, and at
// which addresses of this machine.
#ifndef LEAT_TOOLS_LAUNCH_JOBS_H_
#define LEAT_TOOLS_LAUNCH_JOBS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/distributed/cluster/cluster.h"

namespace leat {

// Limits the number of tasks that `leat launch` starts.
inline constexpr int kMaxLaunchedTasks = 256;

// Returns the tasks that a --jobs flag asks for: "chief=1,worker=2" stands for
// chief 0, worker 0 and worker 1. Returns INVALID_ARGUMENT, quoting the
// mistake, for text that is not JOB=COUNT, a name that a job cannot have, a job
// that occurs twice, or a count below 1. Returns the same error for two chiefs,
// for evaluators without any other job, and for more than kMaxLaunchedTasks
// tasks.
absl::StatusOr<std::vector<TaskId>> ParseJobs(absl::string_view text);

// Returns the index of the task whose end ends the cluster: chief 0, or worker
// 0 if there is no chief. Returns nothing if there is neither.
std::optional<size_t> MainTask(const std::vector<TaskId>& tasks);

// Returns a name such as "worker-1". The log file of the task and each line of
// its output show this name.
std::string ShortName(const TaskId& task);

// Has an address of 127.0.0.1 for each task except evaluators, which are
// outside of the cluster.
//
// This object reserves the ports until it is destroyed. For each port it has a
// socket that is bound to the port but does not listen. Servers that set
// SO_REUSEADDR, such as gRPC's, can still bind to the same port.
class LocalCluster {
 public:
  // Returns UNAVAILABLE if there are no free ports.
  static absl::StatusOr<std::unique_ptr<LocalCluster>> Create(
      const std::vector<TaskId>& tasks);

  const ClusterSpec& spec() const { return spec_; }

  // Returns the value of the variable TF_CONFIG for a task.
  std::string TfConfig(const TaskId& task) const;

 private:
  LocalCluster(ClusterSpec spec, std::vector<FileDescriptor> ports)
      : spec_(std::move(spec)), ports_(std::move(ports)) {}

  const ClusterSpec spec_;
  const std::vector<FileDescriptor> ports_;
};

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCH_JOBS_H_
