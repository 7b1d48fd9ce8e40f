// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ServerLimits limits what a task accepts from its peers and clients.
//
// Every limit is a flag of `leat serve`. The message of a refusal names the
// limit, as "(--max-graphs)", or as "(max_graph_nodes)" if the message comes
// from a layer that knows no flags.
#ifndef LEAT_DISTRIBUTED_LIMITS_H_
#define LEAT_DISTRIBUTED_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "leat/distributed/connection_limits.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/lowering/lower_limits.h"
#include "leat/kernels/resource_store.h"
#include "leat/runtime/host_memory.h"

namespace leat {

// Is a value. Its users copy it.
struct ServerLimits {
  // Limits the size of a message, in bytes. A larger message fails with
  // RESOURCE_EXHAUSTED.
  int64_t max_message_bytes = INT32_MAX;
  // Limits the total size, in bytes, of the messages that are being received.
  int64_t max_transport_bytes = DefaultTransportBytes();
  // These limits have the same meanings as in ConnectionLimits. The task keeps
  // fewer connections if the process cannot open that many descriptors.
  size_t max_connections = ConnectionLimits().max_connections;
  size_t max_connections_per_address = ConnectionLimits().max_per_address;
  std::chrono::nanoseconds handshake_timeout =
      ConnectionLimits().handshake_timeout;
  // Holds the limits of imported graphs (graph/io/graph_def.h).
  ImportLimits import = {};
  // Limits the total size, in bytes, of the messages that carry a client's
  // graph and its extensions.
  int64_t max_graph_bytes = int64_t{4} << 30;
  // Holds the limits of graphs whose functions are lowered
  // (graph/lowering/lower_limits.h).
  LowerLimits lower = {};
  // The task's master keeps at most `max_sessions` sessions of clients. It
  // closes a session that nobody has used for `session_idle`. If a client asks
  // for a session when there are already `max_sessions`, the master may close
  // the session that has been idle for the longest time. It does this if the
  // idle time is at least `session_idle_when_full`. So the sessions of dead
  // clients do not block new clients.
  size_t max_sessions = 1000;
  std::chrono::nanoseconds session_idle = std::chrono::hours(24);
  std::chrono::nanoseconds session_idle_when_full = std::chrono::minutes(10);
  // Limits the time that a step may take.
  std::chrono::nanoseconds max_step_time = std::chrono::hours(24);
  // Says how long other tasks may take to create a session, or to register a
  // graph.
  std::chrono::nanoseconds setup_timeout = std::chrono::minutes(5);
  // Says how long other tasks may take for calls that need no work: to report
  // their status, and to forget steps, graphs, sessions and containers.
  std::chrono::nanoseconds answer_timeout = std::chrono::seconds(10);
  // The task's worker keeps at most `max_worker_sessions` sessions of masters.
  // Each session may have at most `max_graphs` graphs.
  size_t max_worker_sessions = 1000;
  size_t max_graphs = 10'000;
  // A master that does not answer for this long is considered dead, and its
  // sessions on this task end.
  std::chrono::nanoseconds master_silence = std::chrono::minutes(10);
  // Says how many bytes the live tensors of a session may take on this task.
  // These are the tensors that its steps make, receive and are fed with, and
  // the tensors in variables. A server lowers a larger limit to the total
  // memory of its devices.
  int64_t max_session_bytes = INT64_MAX;
  // Limits the total number of tensors in the elements of one queue.
  int64_t max_queue_elements = ResourceLimits().max_queue_elements;
  // A peer may ask for a tensor of a step that has not begun here. At most
  // `max_waiting_steps` such steps wait for their RunGraph, each for at most
  // `waiting_step_timeout`.
  size_t max_waiting_steps = 1000;
  std::chrono::nanoseconds waiting_step_timeout = std::chrono::seconds(60);
  // Says how many ended steps are remembered, so that a late request cannot
  // start one of them again.
  size_t max_tombstones = 100'000;
  // Says how long peers may still fetch tensors of a step that has succeeded.
  std::chrono::nanoseconds step_linger = std::chrono::minutes(10);
  // Says how many entries a step may have in its rendezvous. Entries are
  // tensors that nobody has taken, Recvs that wait for a tensor and, outside of
  // loops, keys that have been used.
  size_t max_rendezvous_entries = size_t{1} << 20;
  // Says how many request ids are remembered, for each kind of request.
  size_t max_request_ids = 100'000;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_LIMITS_H_
