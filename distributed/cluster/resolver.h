// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Resolvers are functions that find out which cluster a process belongs to and
// which task it is, for example from flags or from TF_CONFIG. Each file of
// distributed/resolvers/ has one resolver.
//
//   ResolverInput input;
//   input.cluster = "cluster.json";  // the flags --cluster, --job and --task
//   input.job = "worker";
//   input.task = 0;
//   LEAT_ASSIGN_OR_RETURN(const TaskConfig config, ResolveTask(input));
//
// If TF_CONFIG is set, no flags are needed. TensorFlow reads the same JSON
// text:
//
//   // TF_CONFIG='{"cluster": {"ps": ["h0:2222"], "worker": ["h1:2222"]},
//   //             "task": {"type": "worker", "index": 0}}'
//   LEAT_ASSIGN_OR_RETURN(const TaskConfig own, ResolveTask({}));
#ifndef LEAT_DISTRIBUTED_CLUSTER_RESOLVER_H_
#define LEAT_DISTRIBUTED_CLUSTER_RESOLVER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/distributed/cluster/cluster.h"

namespace leat {

// Is the name of the job that evaluates the trained model. As in TensorFlow, an
// evaluator is a client of the cluster, not one of its tasks. If a cluster
// lists this job, ResolveTask and ResolveCluster remove it from the cluster.
inline constexpr char kEvaluatorJob[] = "evaluator";

// Holds the flags of a program and its environment. A flag that is not given is
// empty. A ResolverInput is a value.
struct ResolverInput {
  std::string cluster = {};  // JSON, or the name of a JSON file
  // Holds the addresses of the parameter servers and of the workers, with
  // commas between them: "h0:2222,h1:2222".
  std::string ps_hosts = {};
  std::string worker_hosts = {};
  // `job` and `task` name the task of this process. If they are given, they
  // override the task that a resolver has read.
  std::string job = {};
  std::optional<int64_t> task = {};
  // Looks up an environment variable. If it is null, the variables of this
  // process are used.
  std::function<std::optional<std::string>(const std::string& name)>
      environment = {};

  // Returns the value of an environment variable, or nullopt if the variable is
  // not set or empty.
  std::optional<std::string> Variable(const std::string& name) const;
};

// Holds the result of a resolver. The resolver need not check the task, because
// ResolveTask checks it.
struct Resolved {
  ClusterSpec cluster = {};
  std::string job = {};              // "" if the source names no task
  std::optional<int64_t> task = {};  // set if `job` is not ""
};

// Reads a cluster from `input`. Returns nullopt if `input` lacks the values
// that this resolver reads. Errors need not name the source, because the caller
// adds the source's name.
using ResolveFunction =
    absl::StatusOr<std::optional<Resolved>> (*)(const ResolverInput& input);

// Describes a resolver. ResolveTask tries the resolvers in the order of their
// ranks.
struct Resolver {
  std::string name = {};
  int rank = 0;             // the lowest is asked first
  std::string source = {};  // for messages, such as "TF_CONFIG"
  ResolveFunction resolve = nullptr;
};

// Holds the resolvers that ResolveTask and ResolveCluster try. It is filled
// once. After that it is const and thread-safe.
class ResolverRegistry {
 public:
  // Adds a resolver. REQUIRES: its name is new, and its function is not null.
  void Add(Resolver resolver);
  // Returns the resolvers, sorted by rank, then by name.
  const std::vector<Resolver>& resolvers() const { return resolvers_; }

 private:
  std::vector<Resolver> resolvers_;
};

namespace resolvers {
// Registers every resolver of distributed/resolvers/*.cc.
void RegisterAll(ResolverRegistry& registry);
}  // namespace resolvers

// Returns the resolvers of distributed/resolvers/. They live as long as the
// process.
const ResolverRegistry& BuiltinResolvers();

// Holds the cluster, and the task of this process.
struct TaskConfig {
  ClusterSpec cluster = {};  // never empty
  TaskId task = {};
  bool in_cluster = true;   // false for an evaluator
  std::string source = {};  // Resolver::source, for messages
};

// Returns the cluster and this process's task in it, from the first resolver
// that finds a cluster in `input`. Returns INVALID_ARGUMENT, naming the source
// and the value,
//
// - when no resolver finds a cluster,
// - when the cluster has no tasks besides evaluators,
// - when only one of `input.job` and `input.task` is given,
// - when the task is not given, or is neither in the cluster nor an evaluator,
// - when a task other than this one has port 0.
//
// Also returns the resolver's own errors.
absl::StatusOr<TaskConfig> ResolveTask(
    const ResolverInput& input,
    const ResolverRegistry& registry = BuiltinResolvers());

// Returns the cluster alone, for a process that need not be one of its tasks.
// Fails as ResolveTask does, except that tasks are not checked.
absl::StatusOr<ClusterSpec> ResolveCluster(
    const ResolverInput& input,
    const ResolverRegistry& registry = BuiltinResolvers());

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_RESOLVER_H_
