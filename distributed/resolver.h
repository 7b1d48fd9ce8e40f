// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Resolvers: what tells a process which cluster it is in and which task it is:
// flags, TF_CONFIG, the variables of a batch system. A resolver is a plain
// function, one per file of distributed/resolvers/.
#ifndef LEAT_DISTRIBUTED_RESOLVER_H_
#define LEAT_DISTRIBUTED_RESOLVER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/distributed/cluster.h"

namespace leat {

// A job of this name evaluates what the cluster trains. As in TensorFlow it is
// outside of the cluster, a client.
inline constexpr char kEvaluatorJob[] = "evaluator";

// The flags of a program, empty where they are not given, and its environment.
struct ResolverInput {
  std::string cluster = {};  // JSON, or the name of a file of it
  std::string ps_hosts = {};
  std::string worker_hosts = {};
  // The task of this process; before what a resolver says.
  std::string job = {};
  std::optional<int64_t> task = {};
  // Instead of the variables of the process.
  std::function<std::optional<std::string>(const std::string& name)>
      environment = {};

  // Nothing when the variable is not set, or empty.
  std::optional<std::string> Variable(const std::string& name) const;
};

// What a resolver has read. What is wrong with the task is found by others.
struct Resolved {
  ClusterSpec cluster = {};
  std::string job = {};              // "": the source does not say
  std::optional<int64_t> task = {};  // given where `job` is
};

// Nothing when this is not its environment. Errors do not name the source.
using ResolveFunction =
    absl::StatusOr<std::optional<Resolved>> (*)(const ResolverInput& input);

struct Resolver {
  std::string name = {};
  int rank = 0;             // the lowest is asked first
  std::string source = {};  // "TF_CONFIG": names it in messages
  ResolveFunction resolve = nullptr;
};

// Filled once, then const and thread-safe.
class ResolverRegistry {
 public:
  // REQUIRES: a new name.
  void Add(Resolver resolver);
  // By rank, then name.
  const std::vector<Resolver>& resolvers() const { return resolvers_; }

 private:
  std::vector<Resolver> resolvers_;
};

namespace resolvers {
// Registers every resolver of distributed/resolvers/*.cc.
void RegisterAll(ResolverRegistry& registry);
}  // namespace resolvers

const ResolverRegistry& BuiltinResolvers();

struct TaskConfig {
  ClusterSpec cluster = {};  // never empty
  TaskId task = {};
  bool in_cluster = true;   // false: an evaluator
  std::string source = {};  // what said so
};

// The cluster and this process's task in it, as the first resolver that knows
// says. INVALID_ARGUMENT naming the source and the value when none does, when
// the cluster has no tasks or one of job `evaluator`, when it says no task or
// one that is not in the cluster, and when another task has port 0; else fails
// as the resolver does.
absl::StatusOr<TaskConfig> ResolveTask(
    const ResolverInput& input,
    const ResolverRegistry& registry = BuiltinResolvers());

// The cluster alone, whoever asks. Fails as ResolveTask does, but for tasks.
absl::StatusOr<ClusterSpec> ResolveCluster(
    const ResolverInput& input,
    const ResolverRegistry& registry = BuiltinResolvers());

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RESOLVER_H_
