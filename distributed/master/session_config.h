// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionConfig: what a client asks of its session on a cluster, as read from
// TensorFlow's ConfigProto. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_CONFIG_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device_name.h"
#include "leat/graph/optimizer/optimizer_options.h"

namespace leat::pb {
class ConfigProto;
class RunOptions;
}  // namespace leat::pb

namespace leat {

// The options of a session. A value.
struct SessionConfig {
  // If true, a request that no device satisfies falls back to another device of
  // the same task.
  bool allow_soft_placement = false;
  // If true, variables and queues belong to the session, not to the tasks.
  bool isolate_state = false;
  // The timeout of each call that has none of its own.
  std::optional<std::chrono::nanoseconds> operation_timeout = {};
  // The session uses only tasks and devices that one of these allows. If there
  // are none, it uses all.
  std::vector<DeviceName> device_filters = {};
  OptimizerOptions optimizer = {};

  static constexpr size_t kMaxDeviceFilters = 1000;
};

// Reads `config`. Options that have no meaning on a server are ignored, as
// TensorFlow does: the devices and threads of the client's machine,
// place_pruned_graph, a timeout below 0.
//
// Errors name the field: INVALID_ARGUMENT for thread pools of the session's own
// and for malformed or too many filters, UNIMPLEMENTED for a cluster of its
// own.
absl::StatusOr<SessionConfig> ReadSessionConfig(const pb::ConfigProto& config);

// Returns true if `filters` is empty or one of them allows `name`, a task or a
// device. By TensorFlow's rule a filter allows what does not contradict it: so
// "/device:GPU:*" allows every task, and of each task its GPUs.
bool IsAllowed(absl::Span<const DeviceName> filters, const DeviceName& name);

// Returns the timeout that the client gives the step, or else the timeout of
// the session, but at most `longest`.
std::chrono::nanoseconds StepTimeout(const SessionConfig& config,
                                     const pb::RunOptions& options,
                                     std::chrono::nanoseconds longest);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_CONFIG_H_
