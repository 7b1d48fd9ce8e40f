// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewSession: what programs start with. An empty target runs the graph on this
// process's devices, another one on those of a cluster: the target names its
// master, "grpc://host:port" or "unix:///path".
#ifndef LEAT_TRAIN_SESSION_H_
#define LEAT_TRAIN_SESSION_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/core/status_macros.h"  // IWYU pragma: export
#include "leat/graph/graph.h"
#include "leat/graph/lower.h"
#include "leat/graph/optimizer_options.h"
#include "leat/runtime/session.h"

namespace leat {

// Where a session runs: "" for this process. Made of any text; a null pointer,
// which getenv() gives, is "".
struct SessionTarget {
  SessionTarget() = default;
  SessionTarget(const char* text)  // NOLINT
      : text(text == nullptr ? "" : text) {}
  SessionTarget(absl::string_view text) : text(text) {}       // NOLINT
  SessionTarget(std::string text) : text(std::move(text)) {}  // NOLINT

  std::string text = {};
};

struct SessionOptions {
  SessionTarget target = {};
  // Of this process's devices; the tasks of a target have their own.
  std::string devices = "cpu";  // "cpu:2": two CPU devices
  int num_threads = 0;          // 0: one a processor
  // Limit of each CPU device; 0: its share of what this process may take.
  int64_t cpu_memory_bytes = 0;
  bool allow_soft_placement = false;
  std::string placement_policy = "greedy";  // local
  LowerLimits lower_limits = {};            // local
  OptimizerOptions optimizer = {};
  // On a target only: distributed/remote_session.h.
  std::vector<std::string> device_filters = {};
  bool isolate_state = false;
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(60);
  std::shared_ptr<Cancellation> cancellation = {};
};

// INVALID_ARGUMENT for options that make no sense (quoting them) or that are
// not of such a session, and for nodes that cannot be placed;
// RESOURCE_EXHAUSTED above `lower_limits`; UNAVAILABLE for a target that does
// not answer.
absl::StatusOr<std::shared_ptr<Session>> NewSession(
    const Graph& graph, const SessionOptions& options = {});

}  // namespace leat

#endif  // LEAT_TRAIN_SESSION_H_
