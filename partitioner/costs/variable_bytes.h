// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// VariableBytes says how large the variable is that a node makes.
#ifndef LEAT_PARTITIONER_COSTS_VARIABLE_BYTES_H_
#define LEAT_PARTITIONER_COSTS_VARIABLE_BYTES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// Returns the size of the variables that `node` makes: a node without inputs
// whose outputs are references or resource handles. Returns 0 for other nodes,
// and for variables of unknown size. `outputs` is what is known of the node's
// outputs.
int64_t VariableBytes(const Node& node,
                      absl::Span<const InferredOutput> outputs);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_VARIABLE_BYTES_H_
