// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PrepareGraph is the first stage of planning (the second is PlanStep). It
// lowers the client's graph (graph/lowering/lower.h) and places it as a whole.
// Local sessions and masters call it when a session is created. When a graph is
// extended, PreparedGraph (prepared_graph.h) can usually prepare the new nodes
// alone, without a call of PrepareGraph.
#ifndef LEAT_PARTITIONER_PREPARE_GRAPH_H_
#define LEAT_PARTITIONER_PREPARE_GRAPH_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"
#include "leat/graph/lowering/lower.h"
#include "leat/partitioner/policy.h"

namespace leat {

// Says how to prepare a graph. `policies` is borrowed for the call.
struct PrepareOptions {
  bool allow_soft_placement = false;              // as in PlacerOptions
  std::string placement_policy = kDefaultPolicy;  // a name in `policies`
  const PolicyRegistry* policies = nullptr;       // REQUIRES: not null
  LowerLimits lower_limits = {};                  // servers set smaller limits
  std::vector<std::string> foreign_tasks = {};    // as in PlacerOptions
  // Gets a line "name: (Op): device", as TensorFlow logs it, for each node that
  // the previous graph did not have. May be null.
  std::function<void(absl::string_view line)> log_placement = {};
};

// Lowers a copy of `client_graph`, places every node on one of `devices` and
// returns the result. `previous` is the prepared graph before an Extend, or
// null. Stateful nodes stay on the devices that they have in `previous`,
// because their state is there. Fails as LowerFunctions and PlaceGraph do, and
// returns NOT_FOUND if there is no policy with the name
// `options.placement_policy`.
absl::StatusOr<Graph> PrepareGraph(const Graph& client_graph,
                                   absl::Span<const DeviceInfo> devices,
                                   const PrepareOptions& options,
                                   const Graph* previous = nullptr);

// Calls `log` with a line for each node of `graph` that is not in `previous`,
// which may be null.
void LogPlacement(const Graph& graph, const Graph* previous,
                  const std::function<void(absl::string_view line)>& log);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PREPARE_GRAPH_H_
