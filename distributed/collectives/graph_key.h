// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CollectiveGraphKey finds the key by which the masters of several clients know
// that they run the same step: each runs a graph with the same collectives.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_GRAPH_KEY_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_GRAPH_KEY_H_

#include <cstdint>
#include <vector>

#include "leat/partitioner/partition.h"

namespace leat {

// Returns true if the node is a collective.
bool IsCollective(const NodeDef& node);

// Returns the key of the collectives in the graph, as TensorFlow computes it: a
// hash of their instance keys. Returns 0 if there are none.
int64_t CollectiveGraphKey(const std::vector<Partition>& partitions);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_GRAPH_KEY_H_
