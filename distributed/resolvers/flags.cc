// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the resolver of the flag --cluster JSON|FILE. A value that begins
// with '{' is JSON. Any other value is the name of a file with JSON.
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/codec/json.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"

namespace leat::resolvers::flags {
namespace {

absl::StatusOr<ClusterSpec> ReadCluster(const std::string& flag) {
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(flag), "{")) {
    return ClusterSpec::FromJson(flag);
  }
  LEAT_ASSIGN_OR_RETURN(const std::string text,
                        ReadRegularFile(flag, kMaxJsonBytes));
  absl::StatusOr<ClusterSpec> cluster = ClusterSpec::FromJson(text);
  if (cluster.ok()) return cluster;
  return absl::Status(cluster.status().code(),
                      absl::StrCat("file ", QuotedText(flag), ": ",
                                   cluster.status().message()));
}

absl::StatusOr<std::optional<Resolved>> Resolve(const ResolverInput& input) {
  if (input.cluster.empty()) return std::nullopt;
  if (!input.ps_hosts.empty() || !input.worker_hosts.empty()) {
    return absl::InvalidArgumentError(
        "--ps_hosts and --worker_hosts describe a cluster, too; give either "
        "them or --cluster");
  }
  LEAT_ASSIGN_OR_RETURN(ClusterSpec cluster, ReadCluster(input.cluster));
  return Resolved{.cluster = std::move(cluster)};
}

}  // namespace

void Register(ResolverRegistry& registry) {
  registry.Add(
      {.name = "flags", .rank = 0, .source = "--cluster", .resolve = &Resolve});
}

}  // namespace leat::resolvers::flags
