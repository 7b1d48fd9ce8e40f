// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/prepare_graph.h"

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/partitioner/placer.h"

namespace leat {
namespace {

// Assigns to each stateful node the device that it has in `previous`.
void KeepStatefulDevices(const Graph& previous, Graph& graph) {
  for (NodeId id = 0; id < previous.num_ids(); ++id) {
    if (!previous.Contains(id)) continue;
    const Node& before = previous.node(id);
    if (!before.def->op->is_stateful || before.device < 0) continue;
    const NodeId now = graph.Find(before.name());
    if (now == kNoNode) continue;
    graph.mutable_node(now).device =
        graph.InternDevice(previous.AssignedDevice(id));
  }
}

// Limits the number of nodes whose devices are logged at a time. A client must
// not be able to fill the disk with the log of its server.
constexpr int kMaxLoggedNodes = 10'000;

}  // namespace

absl::StatusOr<Graph> PrepareGraph(const Graph& client_graph,
                                   absl::Span<const DeviceInfo> devices,
                                   const PrepareOptions& options,
                                   const Graph* previous) {
  LEAT_CHECK(options.policies != nullptr);
  Graph graph = client_graph;
  LEAT_RETURN_IF_ERROR(LowerFunctions(graph, options.lower_limits));
  if (previous != nullptr) KeepStatefulDevices(*previous, graph);
  LEAT_ASSIGN_OR_RETURN(const PlacementPolicy policy,
                        options.policies->Find(options.placement_policy));
  LEAT_RETURN_IF_ERROR(
      PlaceGraph(graph, devices,
                 {.allow_soft_placement = options.allow_soft_placement,
                  .policy = policy,
                  .foreign_tasks = options.foreign_tasks}));
  if (options.log_placement != nullptr) {
    LogPlacement(graph, previous, options.log_placement);
  }
  return graph;
}

void LogPlacement(const Graph& graph, const Graph* previous,
                  const std::function<void(absl::string_view line)>& log) {
  int num_lines = 0;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (previous != nullptr && previous->Find(node.name()) != kNoNode) continue;
    if (++num_lines > kMaxLoggedNodes) continue;
    log(absl::StrCat(node.name(), ": (", node.op(),
                     "): ", graph.AssignedDevice(id)));
  }
  if (num_lines > kMaxLoggedNodes) {
    log(absl::StrCat("and ", num_lines - kMaxLoggedNodes, " more nodes"));
  }
}

}  // namespace leat
