// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Consumers tells which nodes use the outputs of a node. A Graph itself does
// not store this. TopologicalOrder sorts the nodes of a graph, and NeededBy
// finds all nodes that the given nodes depend on.
#ifndef LEAT_GRAPH_ANALYSIS_CONSUMERS_H_
#define LEAT_GRAPH_ANALYSIS_CONSUMERS_H_

#include <vector>

#include "absl/types/span.h"
#include "leat/graph/graph.h"

namespace leat {

// Describes one edge, as its producer sees it: input `input` of `node` takes
// the producer's output `output`. For a control edge, `input` and `output` are
// TensorId::kControl.
struct Use {
  NodeId node = kNoNode;
  int32_t output = 0;
  int32_t input = 0;
};

// Finds the edges of a graph by their producer. A Consumers is an index in flat
// arrays (compressed sparse rows). It describes the graph as it was when the
// index was made, and keeps no reference to the graph. It is immutable, so it
// is thread-safe.
class Consumers {
 public:
  // Takes O(nodes + edges) time.
  explicit Consumers(const Graph& graph);

  // Returns all uses of the outputs of `id`, in no particular order. REQUIRES:
  // 0 <= id < num_ids() of the graph.
  absl::Span<const Use> Of(NodeId id) const {
    return absl::MakeConstSpan(uses_).subspan(offsets_[id],
                                              offsets_[id + 1] - offsets_[id]);
  }

 private:
  std::vector<int32_t> offsets_;
  std::vector<Use> uses_;
};

// Returns all nodes, each after its inputs and control inputs. Edges from a
// NextIteration into a Merge do not count, because they close loops. Fails with
// INVALID_ARGUMENT for any other cycle, naming a node on it. Takes O(nodes +
// edges) time.
absl::StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph);

// Returns a vector that is indexed by NodeId. An element is true for a root,
// and for a node that a root depends on, directly or indirectly. Ignores roots
// that are not nodes of the graph.
std::vector<bool> NeededBy(const Graph& graph, absl::Span<const NodeId> roots);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_CONSUMERS_H_
