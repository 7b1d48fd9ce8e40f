// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Which tasks `leat launch` starts and at which addresses of this machine.
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
#include "leat/distributed/cluster.h"
#include "leat/tools/file_descriptor.h"

namespace leat {

inline constexpr int kMaxLaunchedTasks = 256;

// "chief=1,worker=2" -> chief 0, worker 0, worker 1. INVALID_ARGUMENT quoting
// what is wrong: no JOB=COUNT, a name that no job can have, a job that stands
// twice, no task of a job, two chiefs, nobody but evaluators, more than
// kMaxLaunchedTasks.
absl::StatusOr<std::vector<TaskId>> ParseJobs(absl::string_view text);

// Which of the tasks ends the cluster when it ends: chief 0, else worker 0.
std::optional<size_t> MainTask(const std::vector<TaskId>& tasks);

// "worker-1": names its log and stands before its lines.
std::string ShortName(const TaskId& task);

// Addresses of 127.0.0.1 for all but evaluators, which are outside of the
// cluster. Their ports are kept from other programs as long as this exists:
// each is bound, without listening, by a socket that lets those bind to it that
// set SO_REUSEADDR, as servers do (gRPC's among them).
class LocalCluster {
 public:
  // UNAVAILABLE when there are no ports.
  static absl::StatusOr<std::unique_ptr<LocalCluster>> Create(
      const std::vector<TaskId>& tasks);

  const ClusterSpec& spec() const { return spec_; }

  // What the task gets as the variable TF_CONFIG.
  std::string TfConfig(const TaskId& task) const;

 private:
  LocalCluster(ClusterSpec spec, std::vector<FileDescriptor> ports)
      : spec_(std::move(spec)), ports_(std::move(ports)) {}

  const ClusterSpec spec_;
  const std::vector<FileDescriptor> ports_;
};

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCH_JOBS_H_
