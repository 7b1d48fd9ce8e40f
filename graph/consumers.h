// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Consumers: who uses each output of a graph, as one flat index (CSR) made in
// O(nodes + edges). It describes the graph as it was then.
#ifndef LEAT_GRAPH_CONSUMERS_H_
#define LEAT_GRAPH_CONSUMERS_H_

#include <vector>

#include "absl/types/span.h"
#include "leat/graph/graph.h"

namespace leat {

// Input `input` of `node` takes output `output` of the producer;
// `input` = `output` = TensorId::kControl for a control edge.
struct Use {
  NodeId node = kNoNode;
  int32_t output = 0;
  int32_t input = 0;
};

class Consumers {
 public:
  explicit Consumers(const Graph& graph);

  // All uses of `id`'s outputs, in no particular order.
  absl::Span<const Use> Of(NodeId id) const {
    return absl::MakeConstSpan(uses_).subspan(offsets_[id],
                                              offsets_[id + 1] - offsets_[id]);
  }

 private:
  std::vector<int32_t> offsets_;
  std::vector<Use> uses_;
};

// Every node after its inputs. INVALID_ARGUMENT naming a node on a cycle, edges
// into Merge from NextIteration excepted: they close the loops of frames.
absl::StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph);

// The nodes from which a root is reached, roots included: result[id].
std::vector<bool> ReachedFrom(const Graph& graph,
                              absl::Span<const NodeId> roots);

}  // namespace leat

#endif  // LEAT_GRAPH_CONSUMERS_H_
