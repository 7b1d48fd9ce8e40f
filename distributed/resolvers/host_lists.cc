// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the resolver of the flags --ps_hosts a:1,b:2 --worker_hosts c:3,
// which TensorFlow 1's examples of distributed training use. Tasks are numbered
// from 0.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"

namespace leat::resolvers::host_lists {
namespace {

std::map<int, std::string> TasksOf(const std::string& hosts) {
  std::map<int, std::string> tasks;
  if (hosts.empty()) return tasks;
  const std::vector<std::string> addresses = absl::StrSplit(hosts, ',');
  for (size_t i = 0; i < addresses.size(); ++i) {
    tasks[static_cast<int>(i)] = addresses[i];
  }
  return tasks;
}

absl::StatusOr<std::optional<Resolved>> Resolve(const ResolverInput& input) {
  if (input.ps_hosts.empty() && input.worker_hosts.empty()) {
    return std::nullopt;
  }
  LEAT_ASSIGN_OR_RETURN(
      ClusterSpec cluster,
      ClusterSpec::Create({{"ps", TasksOf(input.ps_hosts)},
                           {"worker", TasksOf(input.worker_hosts)}}));
  return Resolved{.cluster = std::move(cluster)};
}

}  // namespace

void Register(ResolverRegistry& registry) {
  registry.Add({.name = "host_lists",
                .rank = 10,
                .source = "--ps_hosts and --worker_hosts",
                .resolve = &Resolve});
}

}  // namespace leat::resolvers::host_lists
