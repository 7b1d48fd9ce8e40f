// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterSpec: the jobs of a cluster, their tasks and their addresses, as
// TensorFlow's tf.train.ClusterSpec. A value, immutable once made.
#ifndef LEAT_DISTRIBUTED_CLUSTER_H_
#define LEAT_DISTRIBUTED_CLUSTER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat::pb {
class ClusterDef;
}  // namespace leat::pb

namespace leat {

struct JsonValue;

inline constexpr int kMaxTaskIndex = 1 << 20;
inline constexpr int kMaxTasks = 100'000;

struct TaskId {
  std::string job = {};
  int index = 0;

  // "/job:ps/replica:0/task:1": the prefix of its devices' names.
  std::string ToString() const;

  friend bool operator==(const TaskId&, const TaskId&) = default;
};

class ClusterSpec {
 public:
  // Job -> task index -> address (address.h). Indices may have gaps.
  using Jobs = std::map<std::string, std::map<int, std::string>>;

  ClusterSpec() = default;  // without tasks

  // A job without tasks is left out. INVALID_ARGUMENT naming the value: a job
  // not called [a-zA-Z][_a-zA-Z0-9]*, an index above kMaxTaskIndex, an address
  // that is none or that stands for two tasks (one with port 0 may), more than
  // kMaxTasks.
  static absl::StatusOr<ClusterSpec> Create(Jobs jobs);

  // {"ps": ["h:p"], "worker": {"1": "h:p"}}, or an object that has such a one
  // as "cluster" or "sparseCluster" (what TF_CONFIG holds). Fails as ParseJson
  // and Create do, and for values of other kinds.
  static absl::StatusOr<ClusterSpec> FromJson(absl::string_view text);
  // Of the object of jobs alone.
  static absl::StatusOr<ClusterSpec> FromJsonValue(const JsonValue& jobs);

  // Fails as Create does, and for a job that stands twice.
  static absl::StatusOr<ClusterSpec> FromProto(const pb::ClusterDef& def);
  void ToProto(pb::ClusterDef* def) const;

  bool empty() const { return jobs_.empty(); }
  const Jobs& jobs() const { return jobs_; }
  std::vector<TaskId> Tasks() const;  // by job, then index

  // INVALID_ARGUMENT with the jobs, or the tasks, that there are.
  absl::StatusOr<std::string> AddressOf(const TaskId& task) const;

  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  explicit ClusterSpec(Jobs jobs) : jobs_(std::move(jobs)) {}

  Jobs jobs_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_H_
