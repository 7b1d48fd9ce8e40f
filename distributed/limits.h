// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Limits: what a task takes of its peers and clients before it says no. Every
// one is a flag of `leat serve`, which refusals name: "(--max-graphs)", and
// "(max_graph_nodes)" where they come from layers that know of no flags.
#ifndef LEAT_DISTRIBUTED_LIMITS_H_
#define LEAT_DISTRIBUTED_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "leat/graph/graph_def.h"
#include "leat/graph/lower.h"
#include "leat/kernels/resource_store.h"

namespace leat {

struct ServerLimits {
  // Of one message, in bytes; a larger one is RESOURCE_EXHAUSTED.
  int64_t max_message_bytes = INT32_MAX;
  // What messages that are being received may take together, in bytes.
  int64_t max_transport_bytes = int64_t{4} << 30;
  ImportLimits import = {};
  // Of a client's graph, with its extensions, as messages.
  int64_t max_graph_bytes = int64_t{4} << 30;
  LowerLimits lower = {};
  // Sessions of clients of this task's master. One that nobody has used for
  // so long is closed; the one idle for longest sooner, where there is no room
  // for another, so that clients that died do not keep others out.
  size_t max_sessions = 1000;
  std::chrono::nanoseconds session_idle = std::chrono::hours(24);
  std::chrono::nanoseconds session_idle_when_full = std::chrono::minutes(10);
  // That a step may take.
  std::chrono::nanoseconds max_step_time = std::chrono::hours(24);
  // What other tasks get to create a session, or to take a graph.
  std::chrono::nanoseconds setup_timeout = std::chrono::minutes(5);
  // Sessions of masters on this task, and graphs of each.
  size_t max_worker_sessions = 1000;
  size_t max_graphs = 10'000;
  // After that a master of which nothing is heard is taken for dead, and its
  // sessions end.
  std::chrono::nanoseconds master_silence = std::chrono::minutes(10);
  // Live tensors of a session on this task: what its steps make, receive and
  // are fed with, and what it leaves in variables. INT64_MAX: what devices
  // have.
  int64_t max_session_bytes = INT64_MAX;
  // Of a queue: tensors of its elements.
  int64_t max_queue_elements = ResourceLimits().max_queue_elements;
  // Steps for which a peer waits before they have begun here, and how long.
  size_t max_waiting_steps = 1000;
  std::chrono::nanoseconds waiting_step_timeout = std::chrono::seconds(60);
  // Ended steps that are remembered, so that nothing late wakes one.
  size_t max_tombstones = 100'000;
  // How long peers may still fetch from a step that has succeeded.
  std::chrono::nanoseconds step_linger = std::chrono::minutes(10);
  // Tensors, and Recvs, of one step that nobody has taken.
  size_t max_rendezvous_entries = size_t{1} << 20;
  // Request ids that are remembered, of each kind of request.
  size_t max_request_ids = 100'000;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_LIMITS_H_
