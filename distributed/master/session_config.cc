// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/session_config.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/protos/config.pb.h"

namespace leat {
namespace {

// Returns nullopt for values below 1 and for values that no clock can
// represent.
std::optional<std::chrono::nanoseconds> ReadTimeout(int64_t milliseconds) {
  constexpr int64_t kMost =
      std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::nanoseconds::max())
          .count();
  if (milliseconds <= 0 || milliseconds > kMost) return std::nullopt;
  return std::chrono::milliseconds(milliseconds);
}

absl::Status CheckThreadPools(const pb::ConfigProto& config) {
  const char* field = nullptr;
  if (config.use_per_session_threads()) {
    field = "use_per_session_threads";
  } else if (config.session_inter_op_thread_pool_size() > 0) {
    field = "session_inter_op_thread_pool";
  } else {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("config.", field,
                   ": Distributed session does not support session thread "
                   "pool options."));
}

absl::StatusOr<std::vector<DeviceName>> ReadFilters(
    const pb::ConfigProto& config) {
  std::vector<DeviceName> filters;
  if (static_cast<size_t>(config.device_filters_size()) >
      SessionConfig::kMaxDeviceFilters) {
    return absl::InvalidArgumentError(absl::StrCat(
        "config.device_filters has ", config.device_filters_size(),
        " filters; at most ", SessionConfig::kMaxDeviceFilters, " are taken"));
  }
  filters.reserve(config.device_filters_size());
  for (const std::string& text : config.device_filters()) {
    absl::StatusOr<DeviceName> filter = DeviceName::Parse(text);
    if (!filter.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("config.device_filters: ", filter.status().message()));
    }
    filters.push_back(*std::move(filter));
  }
  return filters;
}

template <class T>
bool Agree(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}

}  // namespace

absl::StatusOr<SessionConfig> ReadSessionConfig(const pb::ConfigProto& config) {
  LEAT_RETURN_IF_ERROR(CheckThreadPools(config));
  SessionConfig result{
      .allow_soft_placement = config.allow_soft_placement(),
      .log_device_placement = config.log_device_placement(),
      .isolate_state = config.isolate_session_state(),
      .operation_timeout = ReadTimeout(config.operation_timeout_in_ms()),
      .optimizer = OptimizerOptionsFrom(config.graph_options()),
      .group_leader = config.experimental().collective_group_leader()};
  LEAT_ASSIGN_OR_RETURN(result.device_filters, ReadFilters(config));
  return result;
}

absl::Status CheckClusterDef(const pb::ClusterDef& def,
                             const ClusterSpec& own) {
  const auto refused = [](absl::string_view what) {
    return absl::UnimplementedError(absl::StrCat(
        "config.cluster_def ", what,
        ", but a session runs on the cluster of its server; leave it out"));
  };
  size_t num_found = 0;
  for (const pb::JobDef& job : def.job()) {
    if (job.name() == kEvaluatorJob) continue;
    for (const auto& [index, address] : job.tasks()) {
      const TaskId task{.job = job.name(), .index = index};
      const absl::StatusOr<std::string> known = own.AddressOf(task);
      if (!known.ok() || *known != address) {
        return refused(absl::StrCat(
            "has ", QuotedText(address), " as ", task.ToString(),
            known.ok() ? absl::StrCat(" instead of ", *known) : ""));
      }
      ++num_found;
    }
  }
  size_t num_own = 0;
  for (const TaskId& task : own.Tasks()) num_own += task.job != kEvaluatorJob;
  if (num_found == num_own) return absl::OkStatus();
  return refused(absl::StrCat("has ", num_found, " of ", num_own, " tasks"));
}

bool IsAllowed(absl::Span<const DeviceName> filters, const DeviceName& name) {
  return filters.empty() ||
         std::any_of(filters.begin(), filters.end(),
                     [&name](const DeviceName& filter) {
                       return Agree(filter.job, name.job) &&
                              Agree(filter.replica, name.replica) &&
                              Agree(filter.task, name.task) &&
                              Agree(filter.type, name.type) &&
                              Agree(filter.id, name.id);
                     });
}

std::chrono::nanoseconds StepTimeout(const SessionConfig& config,
                                     const pb::RunOptions& options,
                                     std::chrono::nanoseconds longest) {
  std::optional<std::chrono::nanoseconds> timeout =
      ReadTimeout(options.timeout_in_ms());
  if (!timeout.has_value()) timeout = config.operation_timeout;
  return std::min(timeout.value_or(longest), longest);
}

}  // namespace leat
