// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PreparedGraph is a graph that PrepareGraph (prepare_graph.h) made, with what
// it takes to add nodes at the cost of these nodes. An extension is lowered and
// placed as a small graph of its own, in which a stand-in takes the place of
// each node that the extension uses. Afterwards it is added.
#ifndef LEAT_PARTITIONER_PREPARED_GRAPH_H_
#define LEAT_PARTITIONER_PREPARED_GRAPH_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/analysis/graph_totals.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_addition.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat {

// Describes nodes that have been lowered and placed, but are not in the graph
// yet.
struct PreparedAddition {
  Graph graph;
  // Holds the nodes of `graph` that stand in for nodes of the prepared graph,
  // and the ids of the latter.
  absl::flat_hash_map<NodeId, NodeId> stand_ins = {};
};

// Is a value. Is thread-compatible: several threads may use const methods at
// the same time.
class PreparedGraph {
 public:
  // Takes a graph that PrepareGraph has returned.
  explicit PreparedGraph(Graph graph);

  const Graph& graph() const { return graph_; }

  // Prepares the nodes of `client`, an extended client's graph, from `first`
  // on. They get the devices that they would get if the whole graph were placed
  // again and all nodes of graph() kept their devices.
  //
  // Returns nullopt if the whole graph must be prepared again, because
  //  - the addition fits only if a node of graph() moves to another device;
  //  - a node that lowering has made, in graph() or in the addition, has a name
  //    that the other one needs, or a loop has;
  //  - the addition has an error. PrepareGraph says which.
  // `devices` and `options` are those of PrepareGraph.
  std::optional<PreparedAddition> Prepare(const Graph& client, NodeId first,
                                          absl::Span<const DeviceInfo> devices,
                                          const PrepareOptions& options) const;

  // Adds what Prepare has returned, and the functions of `addition`, which has
  // extended `client`.
  void Add(const PreparedAddition& prepared, const GraphAddition& addition,
           const Graph& client);

 private:
  // Notes what later additions must know of the nodes from `first` on.
  void Index(NodeId first);

  Graph graph_;
  // Holds the size of the graph and the names of its loops.
  GraphTotals totals_;
  // Maps each x of a `_class` "loc:@x" to a node that has this `_class`.
  absl::flat_hash_map<std::string, NodeId> classes_;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_PREPARED_GRAPH_H_
