// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterSpec holds the jobs of a cluster, with the tasks of each job and their
// addresses, like TensorFlow's tf.train.ClusterSpec.
//
//   const absl::StatusOr<ClusterSpec> cluster = ClusterSpec::FromJson(
//       R"({"ps": ["ps0:2222"], "worker": ["w0:2222", "w1:2222"]})");
//   if (!cluster.ok()) return cluster.status();
//   LEAT_ASSIGN_OR_RETURN(const std::string address,
//                         cluster->AddressOf({"worker", 1}));  // "w1:2222"
//
// A TaskId names a task. Its text is part of device names and of errors:
//
//   const TaskId first = {"worker", 0};
//   LEAT_ASSIGN_OR_RETURN(const std::string its_address,
//                         cluster->AddressOf(first));  // "w0:2222"
#ifndef LEAT_DISTRIBUTED_CLUSTER_CLUSTER_H_
#define LEAT_DISTRIBUTED_CLUSTER_CLUSTER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

struct JsonValue;

// Is the largest index of a task.
inline constexpr int kMaxTaskIndex = 1 << 20;
// Is the largest number of tasks in a cluster.
inline constexpr int kMaxTasks = 100'000;

// Names one task of a cluster.
struct TaskId {
  std::string job = {};
  int index = 0;

  // Returns "/job:ps/replica:0/task:1", which is the prefix of the names of the
  // task's devices.
  std::string ToString() const;

  friend bool operator==(const TaskId&, const TaskId&) = default;
};

// Is a value that changes only by assignment. Is thread-compatible. All its
// names and addresses have been checked.
class ClusterSpec {
 public:
  // Maps a job to its tasks, and the index of a task to its address
  // (address.h). Indices may have gaps.
  using Jobs = std::map<std::string, std::map<int, std::string>>;

  // Makes a cluster without tasks.
  ClusterSpec() = default;

  // Makes a cluster of `jobs`; a job without tasks is left out. Returns
  // INVALID_ARGUMENT, naming the value, for
  // - a job whose name does not match [a-zA-Z][_a-zA-Z0-9]*,
  // - an index that is negative or above kMaxTaskIndex,
  // - an address that CheckAddress refuses, or that two tasks have (two tasks
  //   may have the same address if its port is 0),
  // - more than kMaxTasks tasks.
  static absl::StatusOr<ClusterSpec> Create(Jobs jobs);

  // Reads an object of jobs, such as {"ps": ["h:p"], "worker": {"1": "h:p"}}.
  // As in TF_CONFIG, this object may also be the value of the key "cluster" or
  // "sparseCluster" of another object. Fails as ParseJson and Create do. Also
  // returns INVALID_ARGUMENT if a JSON value has the wrong kind.
  static absl::StatusOr<ClusterSpec> FromJson(absl::string_view text);
  // Reads `jobs`, which is an object of jobs as in FromJson. Fails as FromJson
  // does.
  static absl::StatusOr<ClusterSpec> FromJsonValue(const JsonValue& jobs);

  bool empty() const { return jobs_.empty(); }
  const Jobs& jobs() const { return jobs_; }
  // Returns all tasks, ordered by job, then by index.
  std::vector<TaskId> Tasks() const;

  // Returns the address of `task`. Returns INVALID_ARGUMENT if the cluster does
  // not have the task. The message names the jobs of the cluster or the task
  // indices of the job.
  absl::StatusOr<std::string> AddressOf(const TaskId& task) const;

  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  explicit ClusterSpec(Jobs jobs) : jobs_(std::move(jobs)) {}

  Jobs jobs_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_CLUSTER_H_
