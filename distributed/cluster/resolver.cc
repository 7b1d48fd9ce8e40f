// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/cluster/resolver.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/check.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/address.h"

namespace leat {
namespace {

// Holds the result of the first resolver that found a cluster. `source` is the
// name of the resolver's source, for messages.
struct Found {
  std::string source = {};
  Resolved resolved = {};
};

// Returns `status` with the source in front of its message.
absl::Status WithSource(absl::string_view source, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(source, ": ", status.message()));
}

// Removes the job `evaluator` from the cluster. Programs of TensorFlow may list
// the job, but an evaluator is not a server. Fails if no task is left.
absl::Status LeaveOutEvaluators(ClusterSpec& cluster) {
  if (cluster.jobs().contains(kEvaluatorJob)) {
    ClusterSpec::Jobs jobs = cluster.jobs();
    jobs.erase(kEvaluatorJob);
    LEAT_ASSIGN_OR_RETURN(cluster, ClusterSpec::Create(std::move(jobs)));
  }
  if (!cluster.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("the cluster has no tasks");
}

absl::StatusOr<Found> Find(const ResolverInput& input,
                           const ResolverRegistry& registry) {
  for (const Resolver& resolver : registry.resolvers()) {
    absl::StatusOr<std::optional<Resolved>> resolved = resolver.resolve(input);
    if (!resolved.ok()) return WithSource(resolver.source, resolved.status());
    if (!resolved->has_value()) continue;
    LEAT_RETURN_IF_ERROR(
        WithSource(resolver.source, LeaveOutEvaluators((*resolved)->cluster)));
    return Found{.source = resolver.source, .resolved = **std::move(resolved)};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "nothing describes a cluster; use one of these: ",
      absl::StrJoin(registry.resolvers(), "; ",
                    [](std::string* out, const Resolver& resolver) {
                      out->append(resolver.source);
                    })));
}

// Replaces the task in `found` with the task of the flags --job and --task, if
// both are given. Fails if only one of them is given.
absl::Status OverrideTask(const ResolverInput& input, Found& found) {
  if (input.job.empty() != !input.task.has_value()) {
    return absl::InvalidArgumentError(input.job.empty()
                                          ? "--task is given without --job"
                                          : "--job is given without --task");
  }
  if (input.job.empty()) return absl::OkStatus();
  if (!found.resolved.job.empty()) found.source += " with --job and --task";
  found.resolved.job = input.job;
  found.resolved.task = input.task;
  return absl::OkStatus();
}

absl::StatusOr<TaskId> CheckTask(const Resolved& resolved) {
  if (resolved.job.empty() || !resolved.task.has_value()) {
    return absl::InvalidArgumentError(
        "it does not say which task this process is; give --job and --task");
  }
  if (*resolved.task < 0 || *resolved.task > kMaxTaskIndex) {
    return absl::InvalidArgumentError(absl::StrCat(
        "task index ", *resolved.task, " of job ", QuotedText(resolved.job),
        " is not in [0, ", kMaxTaskIndex, "]"));
  }
  TaskId task{.job = resolved.job, .index = static_cast<int>(*resolved.task)};
  if (task.job != kEvaluatorJob) {
    LEAT_RETURN_IF_ERROR(resolved.cluster.AddressOf(task).status());
  }
  return task;
}

absl::Status CheckPorts(const ClusterSpec& cluster, const TaskId& own) {
  for (const auto& [job, tasks] : cluster.jobs()) {
    for (const auto& [index, address] : tasks) {
      if (!HasFreePort(address) || TaskId{job, index} == own) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "address ", QuotedText(address), " of /job:", job, "/task:", index,
          " has port 0, which only this process's own task may have"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<std::string> ResolverInput::Variable(
    const std::string& name) const {
  std::optional<std::string> value;
  if (environment) {
    value = environment(name);
  } else if (const char* text = std::getenv(name.c_str()); text != nullptr) {
    value = text;
  }
  if (value.has_value() && value->empty()) value.reset();
  return value;
}

void ResolverRegistry::Add(Resolver resolver) {
  LEAT_CHECK(resolver.resolve != nullptr);
  for (const Resolver& each : resolvers_) {
    LEAT_CHECK(each.name != resolver.name);
  }
  const auto comes_first = [](const Resolver& a, const Resolver& b) {
    return std::tie(a.rank, a.name) < std::tie(b.rank, b.name);
  };
  resolvers_.insert(std::upper_bound(resolvers_.begin(), resolvers_.end(),
                                     resolver, comes_first),
                    std::move(resolver));
}

const ResolverRegistry& BuiltinResolvers() {
  static const ResolverRegistry& registry = *[] {
    auto* made = new ResolverRegistry;  // NOLINT: lives as long as the process
    resolvers::RegisterAll(*made);
    return made;
  }();
  return registry;
}

absl::StatusOr<TaskConfig> ResolveTask(const ResolverInput& input,
                                       const ResolverRegistry& registry) {
  LEAT_ASSIGN_OR_RETURN(Found found, Find(input, registry));
  LEAT_RETURN_IF_ERROR(OverrideTask(input, found));
  const absl::StatusOr<TaskId> task = CheckTask(found.resolved);
  if (!task.ok()) return WithSource(found.source, task.status());
  LEAT_RETURN_IF_ERROR(
      WithSource(found.source, CheckPorts(found.resolved.cluster, *task)));
  return TaskConfig{.cluster = std::move(found.resolved.cluster),
                    .task = *task,
                    .in_cluster = task->job != kEvaluatorJob,
                    .source = std::move(found.source)};
}

absl::StatusOr<ClusterSpec> ResolveCluster(const ResolverInput& input,
                                           const ResolverRegistry& registry) {
  LEAT_ASSIGN_OR_RETURN(Found found, Find(input, registry));
  return std::move(found.resolved.cluster);
}

}  // namespace leat
