// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionConfig holds the options of a client's session on a cluster, read from
// TensorFlow's ConfigProto. It is stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_CONFIG_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device_name.h"
#include "leat/graph/optimizer/optimizer_options.h"

namespace leat::pb {
class ClusterDef;
class ConfigProto;
class RunOptions;
}  // namespace leat::pb

namespace leat {

class ClusterSpec;

// Holds the options of a session. Is a value.
struct SessionConfig {
  // If true, a node goes to another device of the requested task when no device
  // satisfies the node's device request.
  bool allow_soft_placement = false;
  // If true, the device of every node is logged.
  bool log_device_placement = false;
  // If true, variables and queues belong to the session, not to the tasks.
  bool isolate_state = false;
  // Is the timeout for connecting to the session's tasks, for MakeCallable, and
  // for every step that does not set a timeout.
  std::optional<std::chrono::nanoseconds> operation_timeout = {};
  // The session uses only tasks and devices that at least one filter allows.
  // Without filters, the session uses all tasks and devices.
  std::vector<DeviceName> device_filters = {};
  OptimizerOptions optimizer = {};
  // Is the task at which the groups of collectives form, such as
  // "/job:worker/replica:0/task:0". Is empty if the client leaves the choice to
  // the tasks.
  std::string group_leader = {};

  static constexpr size_t kMaxDeviceFilters = 1000;
};

// Reads `config`. As in TensorFlow, options that have no meaning on a server
// are ignored: the devices and threads of the client's machine,
// place_pruned_graph, and a timeout below 0.
//
// Returns INVALID_ARGUMENT if `config` asks for separate thread pools for the
// session, or if it has malformed or too many filters. Errors name the field.
// The caller checks cluster_def with CheckClusterDef.
absl::StatusOr<SessionConfig> ReadSessionConfig(const pb::ConfigProto& config);

// `def` is the cluster that a client wants to use, and `own` is the cluster of
// the server. Returns UNIMPLEMENTED if they have different tasks or addresses.
// Ignores evaluators, because an evaluator is a client of the cluster.
absl::Status CheckClusterDef(const pb::ClusterDef& def, const ClusterSpec& own);

// Returns true if `filters` is empty or a filter allows `name`, which names a
// task or a device. As in TensorFlow, a filter allows every name that does not
// contradict the filter. For example, "/device:GPU:*" allows every task, and
// the GPUs of each task.
bool IsAllowed(absl::Span<const DeviceName> filters, const DeviceName& name);

// Returns the timeout that the client has set for the step. If there is none,
// returns the timeout that the client has set for the session. Returns
// `longest` if there is neither, or if the timeout is longer than `longest`.
std::chrono::nanoseconds StepTimeout(const SessionConfig& config,
                                     const pb::RunOptions& options,
                                     std::chrono::nanoseconds longest);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_CONFIG_H_
