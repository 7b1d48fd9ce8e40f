// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PrepareGraph: the first stage of planning, at Create and Extend: the client's
// graph, lowered (graph/lower.h) and placed as a whole. The local session and
// the master both call it.
#ifndef LEAT_PARTITIONER_PREPARE_GRAPH_H_
#define LEAT_PARTITIONER_PREPARE_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"
#include "leat/graph/lower.h"
#include "leat/partitioner/policy.h"

namespace leat {

struct PrepareOptions {
  bool allow_soft_placement = false;
  std::string placement_policy = kDefaultPolicy;
  const PolicyRegistry* policies = nullptr;     // REQUIRES: not null; borrowed
  LowerLimits lower_limits = {};                // a server's are lower
  std::vector<std::string> foreign_tasks = {};  // as PlacerOptions'
};

// The devices of stateful nodes that `previous` (may be null: the graph before
// an Extend) has placed are kept: their state lives there. Fails as
// LowerFunctions and PlaceGraph do.
absl::StatusOr<Graph> PrepareGraph(const Graph& client_graph,
                                   absl::Span<const DeviceInfo> devices,
                                   const PrepareOptions& options,
                                   const Graph* previous = nullptr);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PREPARE_GRAPH_H_
