// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewSession: what programs start with. An empty target runs the graph on this
// process's devices.
#ifndef LEAT_TRAIN_SESSION_H_
#define LEAT_TRAIN_SESSION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer_options.h"
#include "leat/runtime/session.h"

namespace leat {

struct SessionOptions {
  std::string target = {};      // "" for this process
  std::string devices = "cpu";  // "cpu:2": two CPU devices
  int num_threads = 0;          // 0: one a processor
  bool allow_soft_placement = false;
  std::string placement_policy = "greedy";
  OptimizerOptions optimizer = {};
};

// INVALID_ARGUMENT for options that make no sense (quoting them) and for nodes
// that cannot be placed; UNIMPLEMENTED for a target that is not local.
absl::StatusOr<std::shared_ptr<Session>> NewSession(
    const Graph& graph, const SessionOptions& options = {});

}  // namespace leat

#endif  // LEAT_TRAIN_SESSION_H_
