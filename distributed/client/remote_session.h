// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewRemoteSession creates a session on a cluster. A master of the cluster
// plans and runs the session's graph. The master may be a task of Leat or of
// TensorFlow. The clients of a cluster share its variables by name.
//
//   LEAT_ASSIGN_OR_RETURN(
//       std::shared_ptr<Session> session,
//       NewRemoteSession(graph, "grpc://127.0.0.1:7001",
//                        {.device_filters = {"/job:ps"}}));
#ifndef LEAT_DISTRIBUTED_CLIENT_REMOTE_SESSION_H_
#define LEAT_DISTRIBUTED_CLIENT_REMOTE_SESSION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/transport/transport.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer/optimizer_options.h"
#include "leat/runtime/session.h"

namespace leat {

// Holds the options of a session on a cluster. Is a value.
struct RemoteSessionOptions {
  // Holds partial device names such as "/job:ps" or "/job:worker/task:0". The
  // session uses only the master's own task and tasks that match one of the
  // filters. Without filters, the session uses all tasks.
  std::vector<std::string> device_filters = {};
  // If true, variables and queues belong to this session. Other sessions do not
  // share them, and they are destroyed with the session.
  bool isolate_state = false;
  // If true, a node goes to another device of the requested task when no device
  // satisfies the node's device request.
  bool allow_soft_placement = false;
  // If true, the server of the master logs the device of every node.
  bool log_device_placement = false;
  // Holds the passes that the master runs on the graph.
  OptimizerOptions optimizer = {};
  // Says how long NewRemoteSession waits for the master and the tasks of the
  // session.
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(60);
  // The client waits for the master until a step's timeout has passed, and then
  // for this additional time. The master ends the step at the timeout, but then
  // waits for the step's tasks before it replies
  // (ServerIntervals::wait_for_replies).
  std::chrono::nanoseconds answer_grace = std::chrono::seconds(7);
  // Says how long Close waits for the master.
  std::chrono::nanoseconds close_timeout = std::chrono::seconds(10);
  // If `cancellation` is cancelled, NewRemoteSession stops waiting and returns
  // CANCELLED. May be null.
  std::shared_ptr<Cancellation> cancellation = {};
  // Is called when NewRemoteSession has waited for one second, and again from
  // time to time, on the thread that waits. The message is a sentence such as
  // "the client is waiting for an answer: localhost:7001 has not answered; it
  // is still trying for 59s". May be null.
  std::function<void(absl::string_view message)> on_waiting = {};
  // Limits the size of one message, in bytes.
  int64_t max_message_bytes = INT32_MAX;
  // Is borrowed and must outlive the session. If it is null,
  // BuiltinTransports() are used.
  const TransportRegistry* transports = nullptr;
};

// Creates a session for `graph` at the master `target`. Returns
// INVALID_ARGUMENT if ParseTarget refuses the target or its transport is not
// among `options.transports`. Returns UNAVAILABLE, with the address and the
// reason, when the master or a task does not answer in time. Otherwise returns
// the error of the master.
//
// The session differs from a local one:
//
// - A step that has an observer fails with UNIMPLEMENTED.
// - A step fails with UNAVAILABLE or ABORTED if the client loses the master or
//   the master loses a task. The step may have had effects.
// - ListDevices returns the devices that the master listed last.
// - Close waits at most `close_timeout` for the master.
absl::StatusOr<std::shared_ptr<Session>> NewRemoteSession(
    const Graph& graph, absl::string_view target,
    const RemoteSessionOptions& options = {});

// Closes all sessions of the master `target`. Their steps fail with ABORTED.
// Then clears the variables, queues and accumulators that the tasks keep by
// name. If `options.device_filters` is not empty, clears only the master's own
// task and the tasks that match a filter. If `containers` is not empty, clears
// only the objects in those containers. (By default a container has the name of
// its task's job.) Fails as NewRemoteSession does.
absl::Status ResetTasks(absl::string_view target,
                        const RemoteSessionOptions& options = {},
                        absl::Span<const std::string> containers = {});

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLIENT_REMOTE_SESSION_H_
