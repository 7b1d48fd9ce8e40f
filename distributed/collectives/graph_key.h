// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HasCollectives finds out whether the steps of a graph may be shared by the
// masters of several clients. CollectiveGraphKey finds the key by which they
// know that they run the same step: each runs a graph with the same
// collectives.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_GRAPH_KEY_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_GRAPH_KEY_H_

#include <cstdint>
#include <vector>

#include "leat/partitioner/partition.h"

namespace leat {

// Returns true if there is a collective in the graph or in its functions.
bool HasCollectives(const Graph& graph);

// Returns the key of the collectives in the graph and in its functions: a hash
// of their instance keys, as TensorFlow computes it. (TensorFlow does not look
// into functions.) Returns 0 if there are none.
int64_t CollectiveGraphKey(const std::vector<Partition>& partitions);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_GRAPH_KEY_H_
