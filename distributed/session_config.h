// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// SessionConfig: what a client asks of its session on a cluster, out of
// TensorFlow's ConfigProto. A value.
#ifndef LEAT_DISTRIBUTED_SESSION_CONFIG_H_
#define LEAT_DISTRIBUTED_SESSION_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device_name.h"
#include "leat/graph/optimizer_options.h"

namespace leat::pb {
class ConfigProto;
class RunOptions;
}  // namespace leat::pb

namespace leat {

struct SessionConfig {
  bool allow_soft_placement = false;
  // Variables and queues belong to the session, not to the tasks.
  bool isolate_state = false;
  // Of each call that has none.
  std::optional<std::chrono::nanoseconds> operation_timeout = {};
  // Only tasks and devices that one of them allows; empty: all.
  std::vector<DeviceName> device_filters = {};
  OptimizerOptions optimizer = {};

  static constexpr size_t kMaxDeviceFilters = 1000;
};

// What has no meaning on a server is ignored, as TensorFlow does: the devices
// and threads of the client's machine, place_pruned_graph, a timeout below 0.
// Naming the field, INVALID_ARGUMENT for thread pools of the session's own, and
// for malformed or too many filters; UNIMPLEMENTED for a cluster of its own.
absl::StatusOr<SessionConfig> ReadSessionConfig(const pb::ConfigProto& config);

// TensorFlow's rule: nothing that a filter says contradicts `name`, a task or a
// device. So "/device:GPU:*" allows every task, and its GPUs.
bool IsAllowed(absl::Span<const DeviceName> filters, const DeviceName& name);

// What a client gives a step, else its session's; at most `longest`.
std::chrono::nanoseconds StepTimeout(const SessionConfig& config,
                                     const pb::RunOptions& options,
                                     std::chrono::nanoseconds longest);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SESSION_CONFIG_H_
