// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/cluster_flags.h"

#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/device_set.h"
#include "leat/tools/dumps/graph_stages.h"
#include "leat/tools/program.h"

namespace leat {
namespace {

// Returns true if a flag describes the cluster itself.
bool DescribesCluster(const ResolverInput& input) {
  return !input.cluster.empty() || !input.ps_hosts.empty() ||
         !input.worker_hosts.empty();
}

}  // namespace

void AddClusterFlags(CLI::App& app, ResolverInput& input,
                     const std::string& task_help) {
  app.add_option("--cluster", input.cluster,
                 R"(The cluster: {"ps": ["host:port"], "worker": {"1": )"
                 R"("host:port"}}, or a file with such JSON)");
  app.add_option("--job,--job_name", input.job, task_help);
  app.add_option("--task,--task_index", input.task,
                 "The number of the task in --job")
      ->check(IntegerFrom(0, kMaxTaskIndex));
  app.add_option("--ps_hosts", input.ps_hosts,
                 "host:port,...: job ps, where there is no --cluster");
  app.add_option("--worker_hosts", input.worker_hosts,
                 "host:port,...: job worker, where there is no --cluster");
}

bool HasClusterFlags(const ResolverInput& input) {
  return DescribesCluster(input) || !input.job.empty() ||
         input.task.has_value();
}

TaskId DefaultMaster(const ClusterSpec& cluster) {
  for (const char* job : {"chief", "worker"}) {
    const auto found = cluster.jobs().find(job);
    if (found == cluster.jobs().end()) continue;
    return {.job = job, .index = found->second.begin()->first};
  }
  return cluster.Tasks().front();
}

absl::StatusOr<std::vector<DeviceInfo>> DevicesOfCluster(
    const ResolverInput& input, absl::string_view devices) {
  if (!DescribesCluster(input)) {
    return absl::InvalidArgumentError(
        "--job and --task choose a task of --cluster, which is not given");
  }
  LEAT_ASSIGN_OR_RETURN(const DeviceSetOptions options, ParseDevices(devices));
  if (options.num_gpus == kAllGpus) {
    return absl::InvalidArgumentError(
        "the tasks of --cluster need not exist, so --devices must give the "
        "number of their GPUs, as in 'gpu:2', and not 'gpu:all'");
  }
  if (input.job.empty() && !input.task.has_value()) {
    LEAT_ASSIGN_OR_RETURN(const ClusterSpec cluster, ResolveCluster(input));
    return ClusterDevices(cluster, DefaultMaster(cluster), options.num_cpus,
                          options.num_gpus);
  }
  LEAT_ASSIGN_OR_RETURN(const TaskConfig config, ResolveTask(input));
  if (!config.in_cluster) {
    return absl::InvalidArgumentError(
        absl::StrCat("job '", config.task.job,
                     "' is outside of the cluster, whose masters plan for it; "
                     "choose another task with --job and --task"));
  }
  return ClusterDevices(config.cluster, config.task, options.num_cpus,
                        options.num_gpus);
}

}  // namespace leat
