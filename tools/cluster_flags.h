// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The flags that say which cluster, and which of its tasks: --cluster, --job
// and --task, and the names that TensorFlow 1's programs have for them.
#ifndef LEAT_TOOLS_CLUSTER_FLAGS_H_
#define LEAT_TOOLS_CLUSTER_FLAGS_H_

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/device.h"
#include "leat/distributed/cluster.h"
#include "leat/distributed/resolver.h"

namespace leat {

// `input` must outlive the parsing of the flags. `task_help` says what the task
// of --job and --task is for.
void AddClusterFlags(CLI::App& app, ResolverInput& input,
                     const std::string& task_help);

// One of these flags is given.
bool HasClusterFlags(const ResolverInput& input);

// The task whose master plans when nobody says which: the first chief, else the
// first worker, else the first task. REQUIRES: a cluster with tasks.
TaskId DefaultMaster(const ClusterSpec& cluster);

// The devices of a cluster that nobody has at hand, each task with those of a
// --devices flag, the task's of --job and --task (else DefaultMaster's) first.
// INVALID_ARGUMENT for flags that describe no cluster (the environment may not
// instead), an evaluator, or too many devices; else fails as ResolveTask and
// ParseDevices do.
absl::StatusOr<std::vector<DeviceInfo>> DevicesOfCluster(
    const ResolverInput& input, absl::string_view devices);

}  // namespace leat

#endif  // LEAT_TOOLS_CLUSTER_FLAGS_H_
