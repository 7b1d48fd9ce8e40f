// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Limits: what a task takes of its peers and clients before it says no. Every
// one is a flag of `leat serve`.
#ifndef LEAT_DISTRIBUTED_LIMITS_H_
#define LEAT_DISTRIBUTED_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "leat/graph/graph_def.h"
#include "leat/graph/lower.h"

namespace leat {

struct ServerLimits {
  // Of one message, in bytes; a larger one is RESOURCE_EXHAUSTED.
  int64_t max_message_bytes = INT32_MAX;
  // What messages that are being received may take together, in bytes.
  int64_t max_transport_bytes = int64_t{4} << 30;
  ImportLimits import = {};
  LowerLimits lower = {};
  // Sessions of clients of this task's master. One that nobody has used for
  // so long is closed.
  size_t max_sessions = 1000;
  std::chrono::nanoseconds session_idle = std::chrono::hours(24);
  // That a step may take.
  std::chrono::nanoseconds max_step_time = std::chrono::nanoseconds::max();
  // Sessions of masters on this task, and graphs of each.
  size_t max_worker_sessions = 1000;
  size_t max_graphs = 10'000;
  // Steps for which a peer waits before they have begun here, and how long.
  size_t max_waiting_steps = 1000;
  std::chrono::nanoseconds waiting_step_timeout = std::chrono::seconds(60);
  // Ended steps that are remembered, so that nothing late wakes one.
  size_t max_tombstones = 100'000;
  // How long peers may still fetch from a step that has succeeded.
  std::chrono::nanoseconds step_linger = std::chrono::minutes(10);
  // Tensors, and Recvs, of one step that nobody has taken.
  size_t max_rendezvous_entries = size_t{1} << 20;
  // Request ids that are remembered, of each method.
  size_t max_request_ids = 100'000;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_LIMITS_H_
