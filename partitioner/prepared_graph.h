// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PreparedGraph holds a graph that PrepareGraph (prepare_graph.h) made. Adding
// nodes to it takes time in proportion to the number of new nodes. To do this,
// it lowers and places the new nodes as a small graph of their own. In the
// small graph, a stand-in takes the place of each older node that the new nodes
// use. Afterwards the new nodes are added to the prepared graph.
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
  // Maps each stand-in in `graph` to the node of the prepared graph that it
  // stands for.
  absl::flat_hash_map<NodeId, NodeId> stand_ins = {};
};

// Is a value. Is thread-compatible: several threads may use const methods at
// the same time.
class PreparedGraph {
 public:
  // Takes a graph that PrepareGraph has returned.
  explicit PreparedGraph(Graph graph);

  const Graph& graph() const { return graph_; }

  // Prepares the nodes of `client` with the id `first` or a greater one.
  // `client` is the client's graph after an extension. The new nodes get the
  // devices that they would get if the whole graph were placed again and all
  // nodes of graph() kept their devices.
  //
  // Returns nullopt if the whole graph must be prepared again. This is
  // necessary if
  //  - the addition fits only if a node of graph() moves to another device;
  //  - lowering has made a node or a loop, in graph() or in the addition, with
  //    a name that the other graph needs, too;
  //  - lowering the addition makes functions, as for a SymbolicGradient; or
  //  - the addition has an error, which PrepareGraph will report.
  // `devices` and `options` are those of PrepareGraph.
  std::optional<PreparedAddition> Prepare(const Graph& client, NodeId first,
                                          absl::Span<const DeviceInfo> devices,
                                          const PrepareOptions& options) const;

  // Adds `prepared`, which Prepare has returned, to the graph. Also adds the
  // functions of `addition`, which is what was added to `client`.
  void Add(const PreparedAddition& prepared, const GraphAddition& addition,
           const Graph& client);

 private:
  // Updates `totals_` and `classes_` with the nodes whose id is `first` or
  // greater.
  void Index(NodeId first);

  Graph graph_;
  // Holds the size of the graph and the names of its loops.
  GraphTotals totals_;
  // Maps each x of a `_class` "loc:@x" to a node that has this `_class`.
  absl::flat_hash_map<std::string, NodeId> classes_;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_PREPARED_GRAPH_H_
