// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RemoteSession: a session whose graph is planned and run by a master of a
// cluster, Leat's or TensorFlow's. Several clients of a cluster share its
// variables by name.
#ifndef LEAT_DISTRIBUTED_REMOTE_SESSION_H_
#define LEAT_DISTRIBUTED_REMOTE_SESSION_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/cancellation.h"
#include "leat/distributed/transport.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer_options.h"
#include "leat/runtime/session.h"

namespace leat {

struct RemoteSessionOptions {
  // Partial device names, "/job:ps", "/job:worker/task:0": the session uses
  // matching tasks only, and the master's own. Empty: all tasks.
  std::vector<std::string> device_filters = {};
  // Variables and queues are this session's, not shared, and end with it.
  bool isolate_state = false;
  bool allow_soft_placement = false;
  OptimizerOptions optimizer = {};
  // How long to wait for the master and the tasks of the session at its start.
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(60);
  // Ends that wait, with CANCELLED. Unless null.
  std::shared_ptr<Cancellation> cancellation = {};
  // Of one message, in bytes.
  int64_t max_message_bytes = INT32_MAX;
  // Of the transport "in-process": whom it reaches.
  std::shared_ptr<InProcessNetwork> network = {};
  // Borrowed, outlives the session; null: BuiltinTransports().
  const TransportRegistry* transports = nullptr;
};

// INVALID_ARGUMENT for a target that ParseTarget refuses; else what the master
// says of the graph: UNAVAILABLE when it, or a task, does not answer in time.
//
// Differences from a local session: an observer is UNIMPLEMENTED; a step that
// is cut off from its master, or whose master lost a task, is UNAVAILABLE or
// ABORTED and may have had effects; ListDevices gives what the master last
// said. Close waits at most 10 s for the master.
absl::StatusOr<std::shared_ptr<Session>> NewRemoteSession(
    const Graph& graph, absl::string_view target,
    const RemoteSessionOptions& options = {});

// Closes all sessions of that master (their steps are ABORTED), and empties the
// tasks of what lives in them by name: variables, queues, accumulators.
// `device_filters` restrict it to tasks, `containers`, unless empty, to what is
// in them (by default a container has the name of its task's job). Fails as
// NewRemoteSession does.
absl::Status ResetTasks(absl::string_view target,
                        const RemoteSessionOptions& options = {},
                        absl::Span<const std::string> containers = {});

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REMOTE_SESSION_H_
