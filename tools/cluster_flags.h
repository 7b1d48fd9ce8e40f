// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares the flags that describe a cluster and one of its tasks: --cluster,
// --job and --task, and the names that programs for TensorFlow 1 use for them.
#ifndef LEAT_TOOLS_CLUSTER_FLAGS_H_
#define LEAT_TOOLS_CLUSTER_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/cluster/resolver.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat {

// Adds the flags to `app`. `input` must outlive the parsing of the flags.
// `task_help` is the help text of --job. The text says what the task of --job
// and --task is for.
void AddClusterFlags(CLI::App& app, ResolverInput& input,
                     const std::string& task_help);

// Returns true if at least one of these flags was given.
bool HasClusterFlags(const ResolverInput& input);

// Returns the task whose master plans the steps if no flag names a task. This
// is the first chief. If there is no chief, it is the first worker. If there is
// no worker, it is the first task. REQUIRES: the cluster has tasks.
TaskId DefaultMaster(const ClusterSpec& cluster);

// Returns the devices of the cluster that the flags describe. The tasks of the
// cluster need not exist. Each task has the devices of the --devices flag. The
// devices of the task of --job and --task come first. Without these flags, the
// devices of DefaultMaster come first.
//
// Returns INVALID_ARGUMENT if the flags do not describe a cluster, even if the
// environment describes one. Returns the same error if the task of --job and
// --task is an evaluator, or if there are too many devices. Also returns the
// errors of ResolveTask and ParseDevices.
absl::StatusOr<std::vector<DeviceInfo>> DevicesOfCluster(
    const ResolverInput& input, absl::string_view devices);

}  // namespace leat

#endif  // LEAT_TOOLS_CLUSTER_FLAGS_H_
